/** Exact int64 from JSON numbers, and finding those numbers in a text. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { isInt64, numberSource, parseInt64 } from "../../lib/json.ts";
import { Random } from "../support/random.ts";

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** Numbers and their values. */
const WHOLE = "7=7 -7=-7 7.0=7 70e-1=7 0.1e1=1 0.007E+3=7 1e3=1000 1E0=1 0=0 -0=0 -0.0e-5=0 0e999999999=0 " +
  "0e-999999999=0 0.000e99999999999999999999=0 1e18=1000000000000000000 1e0000000000000000000000000003=1000 " +
  "9007199254740993=9007199254740993 999999999999999=999999999999999 1000000000000000=1000000000000000 " +
  "9223372036854775807=9223372036854775807 9223372036854775807.000=9223372036854775807 " +
  "922337203685477580700e-2=9223372036854775807 0.9223372036854775807e19=9223372036854775807 " +
  "-9223372036854775808=-9223372036854775808 -9.223372036854775808E18=-9223372036854775808";

const OTHERS =
  "9223372036854775808 -9223372036854775809 9223372036854775807.5 10000000000000000000 1e19 1e400 1e-400 " +
  "1e999999999 1e-999999999 1e99999999999999999999 -1e99999999999999999999 1.0000000000000000001 4503599627370497.5 " +
  "7.5 75e-1 0.1 -0.5e0";

test("parseInt64() reads every whole number of int64, however it is written, and no other number", () => {
  for (const [source = "", value = ""] of WHOLE.split(" ").map((pair) => pair.split("="))) {
    assert.equal(parseInt64(source), BigInt(value), source);
  }
  for (const source of OTHERS.split(" ")) assert.equal(parseInt64(source), undefined, source);
});

// tests/security/linear_work_test.ts counts the work that such texts cause.
test("parseInt64() and numberSource() read texts of 1 MiB", () => {
  const n = 2 ** 20;
  for (const digits of ["9".repeat(n), "-1" + "0".repeat(n), "0." + "0".repeat(n) + "1", "1." + "0".repeat(n) + "1"]) {
    assert.equal(parseInt64(digits), undefined);
  }
  assert.equal(parseInt64(`1e${"9".repeat(n)}`), undefined);
  assert.equal(parseInt64(`7.${"0".repeat(n)}`), 7n);
  assert.equal(parseInt64(`7${"0".repeat(n)}e-${n}`), 7n);
  assert.equal(parseInt64(`0.${"0".repeat(n - 1)}7e${n}`), 7n);
  assert.equal(parseInt64(`0${".0e" + "9".repeat(n)}`), 0n);
  const fillers = ["\\\\", '\\"', "x", "{", '\\"\\\\', "\\u0022"];
  const members = fillers.map((filler) => `"a":"${filler.repeat(n / filler.length)}",`);
  members.push('"":"",'.repeat(n / 6), `"a":${"[".repeat(n)}${"]".repeat(n)},`, '"categoryId":1,'.repeat(n / 16));
  members.push(" ".repeat(n));
  for (const before of members) assert.equal(numberSource(`{${before}"categoryId":\n7}`, "categoryId"), "7");
  assert.equal(numberSource(`{"categoryId":${"\n".repeat(n)}7}`, "categoryId"), "7");
});

const SOURCES: [what: string, text: string, source: string][] = [
  ["a member among white space", ' {\t"categoryId"\r\n :\n -7.0E+2 , "a": 1 } ', "-7.0E+2"],
  ["the last of several members", '{"categoryId":1,"categoryId":2.0,"a":3}', "2.0"],
  [
    "the last of several members of different types",
    '{"categoryId":"1","categoryId":{"categoryId":4},"categoryId":2}',
    "2",
  ],
  ["a name written with escapes", '{"categor\\u0079Id":8}', "8"],
  ["a name written in escapes only", `{"${escapeAll("categoryId")}":8}`, "8"],
  ["an escaped name after a plain one", '{"categoryId":1,"c\\u0061tegoryId":2}', "2"],
  ["a plain name after an escaped one", '{"c\\u0061tegoryId":1,"categoryId":2}', "2"],
  [
    "a name beside others that only look escaped",
    '{"categor\\\\u0079Id":1,"categoryId":2,"categor\\\\u0079Id":3}',
    "2",
  ],
  [
    "a member beside the same name in nested objects",
    '{"categoryId":1,"a":{"categoryId":2,"b":[{"categoryId":3}]}}',
    "1",
  ],
  ["a member after the same name in a nested object", '{"a":[{"categoryId":3}],"categoryId":1}', "1"],
  ["a member beside values that are its name", '{"a":"categoryId","categoryId":1,"b":"categoryId"}', "1"],
  [
    "a member beside strings that contain it",
    '{"categoryId":1,"name":"\\"categoryId\\":2","b":",\\"categoryId\\":3"}',
    "1",
  ],
  [
    "a member beside strings that end in backslashes",
    '{"a":"\\\\","categoryId":1,"b":"\\\\\\"categoryId\\":2\\\\"}',
    "1",
  ],
  ["a member beside strings that contain brackets", '{"a":"}}]][[{{","categoryId":1,"b":"{"}', "1"],
  [
    "a member beside longer and shorter names",
    '{"categoryIds":1,"categoryI":2,"xcategoryId":3,"categoryId":4,"":5,"CategoryId":6}',
    "4",
  ],
  ["a zero with signs", '{"categoryId":-0e+0}', "-0e+0"],
];

for (const [what, text, source] of SOURCES) {
  test(`numberSource() finds ${what}`, () => {
    assert.equal(typeof JSON.parse(text).categoryId, "number");
    assert.equal(numberSource(text, "categoryId"), source);
  });
}

test("parseInt64() agrees with plain BigInt arithmetic on random numbers", () => {
  const random = new Random(1);
  for (let i = 0; i < 20_000; i++) {
    const source = randomNumber(random);
    assert.equal(parseInt64(source), slowInt64(source), source);
  }
});

test("numberSource() finds the last member of that name in random objects", () => {
  const random = new Random(2);
  for (let i = 0; i < 5000; i++) {
    let source = randomNumber(random);
    const members = Array.from({ length: 1 + random.below(4) }, () => randomMember(random, 3));
    members.push(`${randomName(random)}:${source}`);
    if (random.oneIn(3)) members.unshift(`${randomName(random)}:${randomNumber(random)}`);
    if (random.oneIn(3)) members.push(`"a":${randomValue(random, 3)}`);
    if (random.oneIn(3)) members.push(`${randomName(random)} : ${source = randomNumber(random)}`);
    const text = `${randomSpace(random)}{${members.join(`${randomSpace(random)},${randomSpace(random)}`)}}`;
    assert.equal(numberSource(text, "categoryId"), source, text);
    assert.equal(JSON.parse(text).categoryId, Number(source));
  }
});

/** The value of a JSON number by definition, however slow. */
function slowInt64(source: string): bigint | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    source.match(/^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/) ?? [];
  const shift = Number(exponent) - fraction.length;
  const digits = BigInt(sign + whole + fraction);
  const divisor = 10n ** BigInt(Math.max(0, -shift));
  if (digits % divisor !== 0n) return undefined;
  const value = digits * 10n ** BigInt(Math.max(0, shift)) / divisor;
  return isInt64(value) ? value : undefined;
}

/** A JSON number, often close to a limit of int64 or with many zeros. */
function randomNumber(random: Random): string {
  const near = random.pick([INT64_MAX, INT64_MIN, 2n ** 53n, 10n ** 18n, 0n]);
  const digits = String(random.oneIn(2) ? near + BigInt(random.below(5) - 2) : BigInt(random.below(1000) - 500));
  const zeros = "0".repeat(random.below(2) * random.below(25));
  const fraction = random.pick(["", ".0", ".5", `.${zeros}0`, `.${random.below(1000)}${zeros}`]);
  const exponent = random.pick(["", `e${random.below(25)}`, `E+${random.below(25)}`, `e-${random.below(25)}`]);
  return (digits === "0" ? digits : digits + zeros) + fraction + exponent;
}

function randomName(random: Random): string {
  return random.pick(['"categoryId"', '"categor\\u0079Id"', '"\\u0063ategoryId"']);
}

function randomMember(random: Random, depth: number): string {
  const name = random.pick(['"a"', '"\\\\"', '"\\"categoryId\\""', '"categoryId\\\\"', '"\\u0000"']);
  return `${name}${randomSpace(random)}:${randomSpace(random)}${randomValue(random, depth)}`;
}

function randomValue(random: Random, depth: number): string {
  const plain = ['"categoryId"', '"\\\\\\""', '"{"', '"\\"categoryId\\":1"', "null", "-1.5e2", "true", "[]"];
  if (depth === 0 || random.oneIn(2)) return random.pick(plain);
  if (random.oneIn(2)) return `[${randomValue(random, depth - 1)},${randomValue(random, depth - 1)}]`;
  return `{${randomName(random)}:${randomValue(random, depth - 1)},${randomMember(random, depth - 1)}}`;
}

function randomSpace(random: Random): string {
  return random.pick(["", " ", "\n\t", "\r\n  "]);
}

function escapeAll(text: string): string {
  return [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}
