/** A new pet from a body, and an id from a path. tests/contract/http/create.ts has the cases that every client meets. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type NewPet, parseNewPet, parsePetFields, parsePetId } from "../../lib/pet.ts";
import { formatPet, formatPets, type Pet } from "../../mod.ts";

const NAME_FAULT = /^name must be a string of 1 to 255 characters, .*, not /;
const CATEGORY_FAULT = /^categoryId must be an integer from -9223372036854775808 to 9223372036854775807, not /;
const STATUS_FAULT = /^status must be one of available, pending, sold, not /;

const GOOD_NAMES: Record<string, string> = {
  "one character": "x",
  "255 characters": "x".repeat(255),
  "255 characters of two code units each": "🐕".repeat(255),
  "white space at both ends": "  Rex\u00a0",
  "quotes, backslashes and slashes": `"\\/'`,
  "line separators": "a\u2028b\u2029c",
  "format characters, which are not control characters": "a\u200d\u200b\u00ad\ufeffb",
  "the neighbours of the control characters": "~\u00a0!",
  "noncharacters": "\ufffe\uffff\u{10ffff}",
  "the text of a number": "7",
};

test("parseNewPet() takes a name exactly as it is, in clear and in escapes", () => {
  for (const [what, name] of Object.entries(GOOD_NAMES)) {
    const pet = { name, categoryId: 7n, status: "available" };
    assert.deepEqual(parse({ name, categoryId: 7 }), pet, what);
    assert.deepEqual(parse(`{"categoryId":7,"name":${escapeAll(name)}}`), pet, what);
  }
});

const BAD_NAMES: Record<string, unknown> = {
  "empty": "",
  "256 characters": "x".repeat(256),
  "256 characters of two code units each": "🐕".repeat(256),
  "a mebibyte": "x".repeat(2 ** 20),
  "white space only": " \u00a0\u2003\u3000\ufeff",
  "line separators only": "\u2028\u2029",
  "a NUL": "Rex\0",
  "a tab": "a\tb",
  "a line feed at its end": "Rex\n",
  "the last of the first control characters": "a\u001fb",
  "a DEL": "a\u007fb",
  "the first of the second control characters": "a\u0080b",
  "a next line": "a\u0085b",
  "the last control character": "a\u009fb",
  "a lone high surrogate": "a\ud83db",
  "a lone low surrogate": "a\udc15b",
  "a reversed surrogate pair": "\udc15\ud83d",
  "null": null,
  "a number": 7,
  "a boolean": true,
  "an array": ["Rex"],
  "an object": { name: "Rex" },
};

test("parseNewPet() refuses every name that is not valid", () => {
  for (const [what, name] of Object.entries(BAD_NAMES)) {
    assertFaults(parse({ name, categoryId: 7 }), [NAME_FAULT], what);
  }
});

test("parseNewPet() reads a category exactly, or quotes it in its message as the client wrote it", () => {
  for (const source of ["7", "0", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808"]) {
    assert.deepEqual(parse(`{"name":"Rex","categoryId":${source}}`), {
      name: "Rex",
      categoryId: BigInt(source),
      status: "available",
    });
  }
  for (const source of ["9223372036854775808", '"7"', '""', '"undefined"', "7.5", "1e400"]) {
    assertFaults(parse(`{"name":"Rex","categoryId":${source}}`), [new RegExp(`${CATEGORY_FAULT.source}${source}$`)]);
  }
  assertFaults(parse(`{"name":"Rex","categoryId":${"9".repeat(1000)}}`), [CATEGORY_FAULT]);
});

test("parseNewPet() is not deceived by a number that JSON.parse rounds to a safe integer", () => {
  for (const source of ["4503599627370496.3", "7.0000000000000000001", "70000000000000000001e-19", "1e-400"]) {
    assertFaults(parse(`{"name":"Rex","categoryId":${source}}`), [new RegExp(`${CATEGORY_FAULT.source}${source}$`)]);
  }
  const whole = [["-0", 0n], ["7.0", 7n], ["70E-1", 7n], ["9007199254740991", 2n ** 53n - 1n], [
    '7.5,"categoryId":7',
    7n,
  ]];
  for (const [source, categoryId] of whole) {
    for (const name of ["Rex", "Rex 2.0", "Rex 7e1"]) {
      assert.deepEqual(parse(`{"name":"${name}","categoryId":${source}}`), { name, categoryId, status: "available" });
    }
  }
});

test("parseNewPet() takes the three statuses and no other value", () => {
  for (const status of ["available", "pending", "sold"]) {
    assert.deepEqual(parse({ name: "Rex", categoryId: 7, status }), { name: "Rex", categoryId: 7n, status });
  }
  for (const status of [null, "", "lost", "Sold", "sold ", "constructor", 0, false, ["sold"], { status: "sold" }]) {
    assertFaults(parse({ name: "Rex", categoryId: 7, status }), [STATUS_FAULT], String(status));
  }
});

test("parseNewPet() says what a body is that is not an object", () => {
  for (const [body, kind] of [["[]", "an array"], ["null", "null"], ['"Rex"', '"Rex"'], ["7", "7"], ["true", "true"]]) {
    assert.deepEqual(parse(body), [`the body must be a JSON object, not ${kind}`]);
  }
});

test("parseNewPet() reports all faults of a body together", () => {
  assertFaults(parse("{}"), [/^name is required$/, /^categoryId is required$/]);
  assertFaults(parse('{"name":"","categoryId":7.5,"status":null}'), [NAME_FAULT, CATEGORY_FAULT, STATUS_FAULT]);
  assertFaults(parse('{"status":"lost"}'), [/^name is required$/, /^categoryId is required$/, STATUS_FAULT]);
});

test("parseNewPet() keeps its messages short and well-formed", () => {
  const long = "🐕".repeat(10_000);
  const faults = parse({ name: `x${long}`, categoryId: `y${long}`, status: `z\ud83d${long}` });
  assertFaults(faults, [NAME_FAULT, CATEGORY_FAULT, STATUS_FAULT]);
  for (const fault of faults as string[]) assert(fault.length < 300 && fault.isWellFormed(), fault);
});

test("parseNewPet() ignores unknown members, including id", () => {
  const body = { id: 99, name: "Rex", tag: { categoryId: 8 }, categoryId: 7, Status: "lost", constructor: 1 };
  assert.deepEqual(parse(body), { name: "Rex", categoryId: 7n, status: "available" });
});

test("parseNewPet() takes the last of several members with the same name", () => {
  const body = '{"name":1,"name":"Rex","categoryId":"1","categor\\u0079Id":2,"status":null,"status":"sold"}';
  assert.deepEqual(parse(body), { name: "Rex", categoryId: 2n, status: "sold" });
});

test("parseNewPet() throws a SyntaxError for a text that is not JSON, however deep", () => {
  const bodies = ["", " ", "{", "{'name':'Rex'}", '{"name":"Rex",}', "undefined", "NaN", '{"name":"a\nb"}', '"\\x"'];
  for (const body of [...bodies, '{"categoryId":07}', '{"categoryId":+7}', '{"categoryId":7.}', "[".repeat(2 ** 20)]) {
    assert.throws(() => parse(body), { name: "SyntaxError" }, body.slice(0, 20));
  }
});

test("parsePetId() reads an id in canonical decimal form and nothing else", () => {
  for (const id of ["1", "9007199254740993", "9223372036854775807"]) assert.equal(parsePetId(id), BigInt(id));
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

/** Parses a JSON text, or a value as JSON. */
function parse(body: unknown): NewPet | string[] {
  return parseNewPet(typeof body === "string" ? body : JSON.stringify(body), "available");
}

function assertFaults(faults: NewPet | string[], patterns: readonly RegExp[], what?: string): void {
  assert(Array.isArray(faults), `${what} was accepted`);
  assert.equal(faults.length, patterns.length, faults.join("; "));
  for (const [i, pattern] of patterns.entries()) assert.match(faults[i] ?? "", pattern, what);
}

/** A JSON string in which every code unit is an escape. */
function escapeAll(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, "0"));
  return `"${units.map((unit) => `\\u${unit}`).join("")}"`;
}

test("parsePetFields() reads text as parseNewPet() reads the members of a body", () => {
  const names = [...Object.values(GOOD_NAMES), "", " ", "a\nb", "x".repeat(256), "\ud800", "Rex"];
  const categories = ["7", "-0", "7.0", "1e3", "70e-1", "9223372036854775807", "-9223372036854775808"]
    .concat("9223372036854775808", "7.5", "1e99", "123456789012345678e1");
  for (const name of names) {
    for (const categoryId of categories) {
      for (const status of ["available", "sold", "", "gone"]) {
        const body = `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":${JSON.stringify(status)}}`;
        assert.deepEqual(parsePetFields(name, categoryId, status), parse(body), body);
      }
    }
  }
});

test("parsePetFields() refuses a category that is no JSON number, and asks for one that is missing", () => {
  for (const categoryId of [" 7", "7 ", "07", "+7", "0x7", "7n", "1_000", "٧", "NaN", "-", "1e", ".5", "seven"]) {
    assert.match(String(parsePetFields("Rex", categoryId, "sold")), CATEGORY_FAULT, categoryId);
  }
  assert.deepEqual(parsePetFields("Rex", "", "sold"), ["categoryId is required"]);
});
