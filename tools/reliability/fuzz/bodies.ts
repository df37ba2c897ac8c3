/** Bodies of creates: most are right, so that sequences have pets. The cases of `packages/conformance` list what is wrong in more ways. */

import fc from "fast-check";
import { LIMITS } from "./model.ts";
import { weighted } from "./weighted.ts";

const DOG = "🐶";

/** Names as JSON: characters that a codec or a store may damage, and the longest. */
const NAMES = ['"Rex"', '"a\\/b"', '"__proto__"', '"\\"categoryId\\":5"', '"\u2028\ufeff"', `"${DOG.repeat(255)}"`];
const WRONG_NAMES = ["null", '["Rex"]', '"a', '" "', '"\\n"', '"\\ud800"', `"${"a".repeat(256)}"`];

const NAME = weighted(
  [4, fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).map((name) => JSON.stringify(name))],
  [4, NAMES],
  [1, WRONG_NAMES],
);

/** Integers of each size in several notations, and what is none. */
const CATEGORY_ID = weighted(
  [3, fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String)],
  [3, ["7", "7.0", "-0", "70e-1", "0.7e1", "9007199254740993", "9223372036854775807.0"]],
  [1, ["9223372036854775808", "-9223372036854775809", "7.5", "1e400", '"7"', "07", "null"]],
);

const STATUS = weighted([6, ['"available"', '"pending"', '"\\u0073old"']], [1, ["null", '"Sold"']]);

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
function bytesOf(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

type Damage = (body: string) => string;

/** A change to the bytes of a body, which usually has none: bytes that are no UTF-8, a mark before it, its end cut, and sizes at the limit. */
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
