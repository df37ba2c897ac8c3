/** Exact int64 from JSON numbers, and finding those numbers in a text. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isInt64, numberSource, parseInt64 } from "../../lib/json.ts";
import { testUnless } from "../support/test_with.ts";

test("parseInt64() takes a number with a huge exponent, and no text that is no number of JSON", () => {
  for (const source of ["0e999999999", "0.000e99999999999999999999"]) assert.equal(parseInt64(source), 0n);
  for (const source of ["1e400", "1e-400", "1e99999999999999999999", "1.0000000000000000001", "07", "0x7", ""]) {
    assert.equal(parseInt64(source), undefined, source);
  }
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

const NUMBERS = ["7.0", "-0", "1e3", "70E-1", "12345678901234567890"];
const OTHERS = ['"id"', '"\\\\"', '"\\":2"', "null", '{"id":2.5}', '[{"id":[3]},"]"]', '{"a":{"id":1},"}":[]}'];
const MEMBER = fc.record({
  name: fc.constantFrom('"id"', '"\\u0069d"', '"i"', '"id:1"', '"\\"id\\""', '"\\\\"', '""', '"}"', '"["'),
  value: fc.oneof(fc.constantFrom(...NUMBERS), fc.constantFrom(...OTHERS)),
  space: fc.constantFrom("", " ", "\n\t", "\r\n"),
});

testUnless(!hasSources && "This runtime's JSON.parse gives no source text")(
  "numberSource() agrees with the source text that a reviver gets, whatever the object has",
  () =>
    fc.assert(
      fc.property(fc.array(MEMBER, { maxLength: 6 }), (members) => {
        const text = `{${members.map(({ name, value, space }) => [name, ":", value].join(space)).join(",")}}`;
        assert.equal(numberSource(text, "id"), sourceByReviver(text, "id"), text);
      }),
      { numRuns: 5_000 },
    ),
);
