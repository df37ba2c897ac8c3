/** Bodies of creates: most are right, so that sequences have pets. */

import fc from "fast-check";
import * as values from "../../../packages/conformance/lib/pet_values.ts";
import { LIMITS } from "./model.ts";
import { weighted } from "./weighted.ts";

const DOG = "🐶";

const NAME = weighted(
  [4, fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).map((name) => JSON.stringify(name))],
  [4, values.NAMES.map((name) => JSON.stringify(name))],
  [1, [...values.NO_STRINGS, ...values.NO_NAMES, '"a']],
);

/** Integers of each size in several notations, and what is none. */
const CATEGORY_ID = weighted(
  [3, fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String)],
  [3, Object.keys(values.WRITTEN_INT64)],
  [1, [...values.NO_CATEGORIES, "07"]],
);

const STATUS = weighted([6, ['"available"', '"pending"', '"\\u0073old"']], [1, values.NO_STATUSES]);

/** Members that a pet may not have, of which some have the names of others within. */
const EXTRA = ['"id":99', '"__proto__":{"status":"sold"}', '"nested":[{"categoryId":5}]', '"Name":"y"'];

const OBJECT = fc.tuple(
  NAME.map((value) => `"name":${value}`),
  CATEGORY_ID.map((value) => `"categoryId":${value}`),
  fc.option(STATUS.map((value) => `"status":${value}`)),
  fc.option(fc.constantFrom(...EXTRA), { freq: 3 }),
).chain((members) => fc.shuffledSubarray(members.filter((each) => each !== null), { minLength: 2 }))
  .map((members) => `{${members.join()}}`);

const OTHER_TEXTS = ["", "null", "7", "[]", "{}", "{", '{"a":1,}', "name=Rex", '{"name":"Rex","categoryId":7}{}'];

/** The bytes of a text, a character for each, so that a report is readable. */
export function bytesOf(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

type Damage = (body: string) => string;

/**
 * A change to the bytes of a body, which usually has none: bytes that are no UTF-8, a mark before
 * it, its end cut, and sizes at the limit.
 */
const DAMAGE: fc.Arbitrary<Damage> = weighted<Damage>(
  [24, [(body) => body]],
  [1, [(body) => body.replace(":", ":\xc0\x80"), (body) => `\xef\xbb\xbf${body}`]],
  [1, fc.nat({ max: 60 }).map((at): Damage => (body) => body.slice(0, at))],
  [1, [0, 1, 900].map((beyond): Damage => (body) => body.padEnd(LIMITS.maxBodyBytes + beyond))],
);

export const BODY: fc.Arbitrary<string> = fc.tuple(weighted([10, OBJECT], [1, OTHER_TEXTS]), DAMAGE)
  .map(([text, damage]) => damage(bytesOf(text)));

/** So few that requests with one key are often repeated. */
export const RIGHT_BODY: fc.Arbitrary<string> = fc.tuple(
  fc.constantFrom("Rex", `Milo ${DOG}`),
  fc.constantFrom("", ',"status":"available"', ',"status":"sold"'),
).map(([name, status]) => bytesOf(`{"name":"${name}","categoryId":-9223372036854775808${status}}`));
