/** Reading a new pet from a body, and an id from a path. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type NewPet, parseNewPet, parsePetId } from "../../lib/pet.ts";
import { createPetstore, formatPet, formatPets, type Pet } from "../../mod.ts";

const NAME_FAULT = /^name must be a string of 1 to 255 characters, .*, not /;
const CATEGORY_FAULT = /^categoryId must be an integer from -9223372036854775808 to 9223372036854775807, not /;

const GOOD_NAMES: [what: string, name: string][] = [
  ["one character", "x"],
  ["255 characters", "x".repeat(255)],
  ["255 characters of two code units each", "🐕".repeat(255)],
  ["white space at both ends", "  Rex\u00a0"],
  ["quotes, backslashes and slashes", `"\\/'`],
  ["line separators", "a\u2028b\u2029c"],
  ["format characters, which are no control characters", "a\u200d\u200b\u00ad\ufeffb"],
  ["the neighbours of the control characters", "~\u00a0!"],
  ["noncharacters", "\ufffe\uffff\u{10ffff}"],
  ["the text of a number", "7"],
];

for (const [what, name] of GOOD_NAMES) {
  test(`parseNewPet() takes a name with ${what} as it is`, () => {
    assert.deepEqual(parse({ name, categoryId: 7 }), { name, categoryId: 7n, status: "available" });
    assert.deepEqual(parse(`{"categoryId":7,"name":${escapeAll(name)}}`), {
      name,
      categoryId: 7n,
      status: "available",
    });
  });
}

const BAD_NAMES: [what: string, name: unknown][] = [
  ["an empty one", ""],
  ["256 characters", "x".repeat(256)],
  ["256 characters of two code units each", "🐕".repeat(256)],
  ["a mebibyte", "x".repeat(2 ** 20)],
  ["white space only", " \u00a0\u2003\u3000\ufeff"],
  ["line separators only", "\u2028\u2029"],
  ["a NUL", "Rex\0"],
  ["a tab", "a\tb"],
  ["a line feed at its end", "Rex\n"],
  ["the last of the first control characters", "a\u001fb"],
  ["a DEL", "a\u007fb"],
  ["the first of the second control characters", "a\u0080b"],
  ["a next line", "a\u0085b"],
  ["the last control character", "a\u009fb"],
  ["a lone high surrogate", "a\ud83db"],
  ["a lone low surrogate", "a\udc15b"],
  ["a surrogate pair the wrong way round", "\udc15\ud83d"],
  ["null", null],
  ["a number", 7],
  ["a boolean", true],
  ["an array", ["Rex"]],
  ["an object", { name: "Rex" }],
];

for (const [what, name] of BAD_NAMES) {
  test(`parseNewPet() refuses a name that is or has ${what}`, () => {
    const faults = parse({ name, categoryId: 7 });
    assertFaults(faults, [NAME_FAULT]);
  });
}

const GOOD_CATEGORIES: [source: string, categoryId: bigint][] = [
  ["7", 7n],
  ["7.0", 7n],
  ["1e3", 1000n],
  ["0", 0n],
  ["-0", 0n],
  ["-1", -1n],
  ["9007199254740993", 9007199254740993n],
  ["9223372036854775807", 2n ** 63n - 1n],
  ["-9223372036854775808", -(2n ** 63n)],
];

for (const [source, categoryId] of GOOD_CATEGORIES) {
  test(`parseNewPet() reads the category ${source} exactly`, () => {
    assert.deepEqual(parse(`{"name":"Rex","categoryId":${source}}`), { name: "Rex", categoryId, status: "available" });
  });
}

for (
  const source of [
    '"7"',
    '""',
    '"undefined"',
    "7.5",
    "9223372036854775808",
    "-9223372036854775809",
    "9007199254740993.5",
    "1e400",
    "1e-400",
    "null",
    "true",
    "[7]",
    '{"categoryId":7}',
    "9".repeat(1000),
  ]
) {
  test(`parseNewPet() refuses the category ${source.slice(0, 30)}`, () => {
    assertFaults(parse(`{"name":"Rex","categoryId":${source}}`), [CATEGORY_FAULT]);
  });
}

test("parseNewPet() names a category in its message as the client wrote it", () => {
  assertFaults(parse('{"name":"Rex","categoryId":9223372036854775808}'), [/, not 9223372036854775808$/]);
  assertFaults(parse('{"name":"Rex","categoryId":"7"}'), [/, not "7"$/]);
});

for (const status of ["available", "pending", "sold"] as const) {
  test(`parseNewPet() takes the status ${status}`, () => {
    assert.deepEqual(parse({ name: "Rex", categoryId: 7, status }), { name: "Rex", categoryId: 7n, status });
  });
}

for (const status of [null, "", "lost", "Sold", "sold ", "constructor", 0, false, ["sold"], { status: "sold" }]) {
  test(`parseNewPet() refuses the status ${JSON.stringify(status)}`, () => {
    assertFaults(parse({ name: "Rex", categoryId: 7, status }), [
      /^status must be one of available, pending, sold, not /,
    ]);
  });
}

for (const [body, kind] of [["[]", "an array"], ["null", "null"], ['"Rex"', '"Rex"'], ["7", "7"], ["true", "true"]]) {
  test(`parseNewPet() refuses the body ${body}`, () => {
    assert.deepEqual(parse(body ?? ""), [`the body must be a JSON object, not ${kind}`]);
  });
}

test("parseNewPet() names every fault in one go", () => {
  assertFaults(parse("{}"), [/^name is required$/, /^categoryId is required$/]);
  assertFaults(parse('{"name":"","categoryId":7.5,"status":null}'), [NAME_FAULT, CATEGORY_FAULT, /^status must/]);
  assertFaults(parse('{"status":"lost"}'), [/^name is required$/, /^categoryId is required$/, /^status must/]);
});

test("parseNewPet() keeps its messages short and well-formed, whatever was sent", () => {
  const long = "🐕".repeat(10_000);
  const faults = parse({ name: `x${long}`, categoryId: `y${long}`, status: `z\ud83d${long}` });
  assertFaults(faults, [NAME_FAULT, CATEGORY_FAULT, /^status must/]);
  for (const fault of faults as string[]) assert(fault.length < 300 && fault.isWellFormed(), fault);
});

test("parseNewPet() ignores unknown members, an id among them", () => {
  assert.deepEqual(
    parse({ id: 99, name: "Rex", tag: { categoryId: 8 }, categoryId: 7, Status: "lost", constructor: 1 }),
    { name: "Rex", categoryId: 7n, status: "available" },
  );
});

test("parseNewPet() takes the last of several members of one name", () => {
  const body = '{"name":1,"name":"Rex","categoryId":"1","categor\\u0079Id":2,"status":null,"status":"sold"}';
  assert.deepEqual(parse(body), { name: "Rex", categoryId: 2n, status: "sold" });
});

test("parseNewPet() finds no members in __proto__", () => {
  const members = '"name":"Rex","categoryId":7,"status":"sold"';
  assertFaults(parse(`{"__proto__":{${members}}}`), [/^name is required$/, /^categoryId is required$/]);
  assert.deepEqual(parse(`{"__proto__":{"status":"lost"},${members}}`), {
    name: "Rex",
    categoryId: 7n,
    status: "sold",
  });
});

test("parseNewPet() does not see what somebody put on Object.prototype", () => {
  const polluted = { name: "Mallory", categoryId: 8, status: "sold" };
  for (const [name, value] of Object.entries(polluted)) {
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
  }
  let faults, pet;
  try {
    faults = parse("{}");
    pet = parse('{"name":"Rex","categoryId":7}');
  } finally {
    for (const name of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, name);
  }
  assertFaults(faults, [/^name is required$/, /^categoryId is required$/]);
  assert.deepEqual(pet, { name: "Rex", categoryId: 7n, status: "available" });
});

test("a pet sent without a status gets the default one, whatever somebody put on Object.prototype", async () => {
  const { handle } = createPetstore({ keys: ["k"] });
  const headers = { authorization: "Bearer k", "content-type": "application/json" };
  const body = '{"name":"Rex","categoryId":7}';
  const request = new Request("http://h/v1/pets", { method: "POST", headers, body });
  Object.defineProperty(Object.prototype, "status", { value: "sold", configurable: true, writable: true });
  let response;
  try {
    response = await handle(request);
  } finally {
    Reflect.deleteProperty(Object.prototype, "status");
  }
  assert.equal(await response.text(), '{"id":1,"name":"Rex","categoryId":7,"status":"available"}');
});

test("parseNewPet() throws a SyntaxError for what is no JSON, however deep", () => {
  const bodies = ["", " ", "{", "{'name':'Rex'}", '{"name":"Rex",}', "undefined", "NaN", '{"name":"a\nb"}', '"\\x"'];
  for (const body of [...bodies, '{"categoryId":07}', '{"categoryId":+7}', '{"categoryId":7.}', "[".repeat(2 ** 20)]) {
    assert.throws(() => parse(body), { name: "SyntaxError" }, body.slice(0, 20));
  }
});

test("parsePetId() reads an id in canonical decimal form", () => {
  assert.equal(parsePetId("1"), 1n);
  assert.equal(parsePetId("9007199254740993"), 9007199254740993n);
  assert.equal(parsePetId("9223372036854775807"), 9223372036854775807n);
});

test("parsePetId() reads nothing else", () => {
  const texts = ["", "0", "01", "-1", "+1", "1.0", "1e3", " 1", "1 ", "0x1", "abc", "1_0", "１", "٣", "%31", "NaN"];
  for (const text of [...texts, "9223372036854775808", "10000000000000000000", "1".repeat(2 ** 20)]) {
    assert.equal(parsePetId(text), undefined, text.slice(0, 30));
  }
});

test("formatPet() and formatPets() write JSON with exact numbers", () => {
  const pet: Pet = { id: 9007199254740993n, name: '"\u2028\\', categoryId: -(2n ** 63n), status: "sold" };
  const text = '{"id":9007199254740993,"name":"\\"\u2028\\\\","categoryId":-9223372036854775808,"status":"sold"}';
  assert.equal(formatPet(pet), text);
  assert.equal(formatPets([]), "[]");
  assert.equal(formatPets([pet, pet]), `[${text},${text}]`);
});

/** Parses JSON text, or the text of a value, with the default status that all these tests expect. */
function parse(body: unknown): NewPet | string[] {
  return parseNewPet(typeof body === "string" ? body : JSON.stringify(body), "available");
}

function assertFaults(faults: NewPet | string[] | undefined, patterns: readonly RegExp[]): void {
  assert(Array.isArray(faults), "taken, not refused");
  assert.equal(faults.length, patterns.length, faults.join("; "));
  for (const [i, pattern] of patterns.entries()) assert.match(faults[i] ?? "", pattern);
}

/** A JSON string of nothing but escapes. */
function escapeAll(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, "0"));
  return `"${units.map((unit) => `\\u${unit}`).join("")}"`;
}
