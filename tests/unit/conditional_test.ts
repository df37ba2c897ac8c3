/** Which texts have the same entity tag. The HTTP contract has If-None-Match. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { weakETag } from "../../lib/http/conditional.ts";

test("weakETag() gives every text a tag of its own, with and without a link; length and link are beside the hash", () => {
  const base = "abcd".repeat(500);
  const texts = ["", "a", "b", "ab", "ba", "[]", "é", "\0", "\0\0", base, base + "a", base + "\0", base + "\0\0"];
  texts.push("x".repeat(300_000), "x".repeat(300_001));
  for (let i = 0; i < 10_000; i++) texts.push(`[{"id":${i}}]`);
  for (let i = 0; i < base.length; i += 4) texts.push(base.slice(0, i) + "dcba" + base.slice(i + 4));
  // Two changes at once, in one lane or in two, must not cancel out.
  for (let i = 4; i < base.length; i += 4) texts.push("Abcd" + base.slice(4, i) + "Abcd" + base.slice(i + 4));
  const tags = new Set(texts.flatMap((text) => [weakETag(text), weakETag(text, true)]));
  assert.equal(tags.size, 2 * texts.length);
  for (const tag of tags) assert.match(tag, /^W\/"[a-p]{24}"$/);
  // A forged hash gains nothing.
  assert.match(weakETag("[é]", true), /^W\/"haaaaaaa/);
});

test("weakETag() gives a text the same tag on every server", () => {
  const tags = ["[]", "é", "0123456789abcdefg".repeat(3)].map((text) => weakETag(text));
  assert.deepEqual(tags, [
    'W/"eaaaaaaadggmkofnlmhklako"',
    'W/"caaaaaaajninmpmmempongbl"',
    'W/"ggaaaaaagaaoojlclmojiddg"',
  ]);
});
