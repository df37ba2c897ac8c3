/** Exact int64 from JSON numbers, and finding those numbers in a text. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hasPlainNumbers, isInt64, numberSource, parseInt64 } from "../../lib/json.ts";
import { testUnless } from "../support/test_with.ts";

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
  // tests/security/linear_work_test.ts counts the work that such texts cause.
  const n = 2 ** 20;
  assert.equal(parseInt64("9".repeat(n)), undefined);
  assert.equal(parseInt64(`7.${"0".repeat(n)}`), 7n);
  assert.equal(parseInt64(`7${"0".repeat(n)}e-${n}`), 7n);
  assert.equal(parseInt64(`0${".0e" + "9".repeat(n)}`), 0n);
});

const near = fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n, 10n ** 18n, 0n);
const NUMBER = fc.record({
  digits: fc.oneof(fc.tuple(near, fc.bigInt(-2n, 2n)).map(([from, step]) => from + step), fc.bigInt(-500n, 500n)),
  zeros: fc.nat(25).map((count) => "0".repeat(count)),
  fraction: fc.constantFrom("", "0", "5", "123", "0".repeat(20)),
  exponent: fc.option(fc.integer({ min: -25, max: 25 })),
});

test("parseInt64() agrees with plain BigInt arithmetic on random numbers", () =>
  fc.assert(
    fc.property(NUMBER, ({ digits, zeros, fraction, exponent }) => {
      const whole = digits === 0n ? "0" : `${digits}${zeros}`;
      const source = whole + (fraction && `.${fraction}`) + (exponent === null ? "" : `e${exponent}`);
      const scaled = BigInt(whole + fraction);
      const shift = (exponent ?? 0) - fraction.length;
      const divisor = 10n ** BigInt(Math.max(0, -shift));
      const value = scaled * 10n ** BigInt(Math.max(0, shift)) / divisor;
      assert.equal(parseInt64(source), scaled % divisor === 0n && isInt64(value) ? value : undefined, source);
    }),
    { numRuns: 10_000 },
  ));

/** As the engine sees it, which calls the reviver for every value, however deep. */
function sourceByReviver(text: string, name: string): string {
  const sources = new Map<unknown, string>();
  const object = JSON.parse(text, function (this: unknown, member, value, context?: { source: string }) {
    if (member === name && typeof value === "number") sources.set(this, context!.source);
    if (member === name && typeof value !== "number") sources.delete(this);
    return value;
  });
  return sources.get(object) ?? "";
}

const hasSources = JSON.parse("1", (_, __, context?: { source: string }) => context?.source) === "1";
const NAME = fc.constantFrom("id", "i", "id:1", '"id"', "\\", "", "}", "[");
const VALUE = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(1, 1.5, "1", '"id":2', "\\", null, true),
    tie("list"),
    tie("object"),
  ),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(NAME, tie("value"), { maxKeys: 3 }),
})).value;
const MEMBER = fc.record({
  name: NAME,
  value: fc.oneof(
    fc.constantFrom("7.0", "-0", "1e3", "70E-1", "12345678901234567890"),
    VALUE.map((v) => JSON.stringify(v)),
  ),
  isEscaped: fc.boolean(),
  space: fc.constantFrom("", " ", "\n\t", "\r\n"),
});

/** The text of a name, every character as an escape sequence if asked for. */
function nameText(name: string, isEscaped: boolean): string {
  const escape = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return isEscaped ? `"${Array.from(name, escape).join("")}"` : JSON.stringify(name);
}

testUnless(!hasSources && "This runtime's JSON.parse gives no source text")(
  "numberSource() agrees with the source text that a reviver gets, whatever the object has",
  () =>
    fc.assert(
      fc.property(fc.array(MEMBER, { maxLength: 6 }), (members) => {
        const texts = members.map(({ name, value, isEscaped, space }) =>
          `${space}${nameText(name, isEscaped)}${space}:${space}${value}${space}`
        );
        const text = `{${texts.join(",")}}`;
        assert.equal(numberSource(text, "id"), sourceByReviver(text, "id"), text);
      }),
      { numRuns: 5_000 },
    ),
);

test("hasPlainNumbers() is false if a number has a fraction or an exponent", () => {
  for (const text of ["7", '{"id":-7}', '[1,"a.5",".e1"]', "[1, 2]"]) assert.equal(hasPlainNumbers(text), true, text);
  for (const text of ["7.0", "-1e3", "1E3", '{"id":7,"a":[0.5]}']) assert.equal(hasPlainNumbers(text), false, text);
});
