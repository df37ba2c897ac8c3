/** Which texts have the same entity tag. The HTTP contract has If-None-Match. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { weakETag } from "../../lib/http/entity_tag.ts";

test("weakETag() gives every text a tag of its own, with and without a link, and the same on every server", () => {
  const base = "abcd".repeat(500);
  const texts = ["", "a", "ab", "ba", "é", "\0", "\0\0", base, base + "\0", "x".repeat(300_000), "x".repeat(300_001)];
  for (let i = 0; i < 10_000; i++) texts.push(`[{"id":${i}}]`);
  // Two changes at once, in one lane or in two, must not cancel out.
  for (let i = 4; i < base.length; i += 4) texts.push("Abcd" + base.slice(4, i) + "Abcd" + base.slice(i + 4));
  const tags = new Set(texts.flatMap((text) => [weakETag(text), weakETag(text, true)]));
  assert.equal(tags.size, 2 * texts.length);
  for (const tag of tags) assert.match(tag, /^W\/"[0-9a-f]{24}(-linked)?"$/);
  // Length and link are beside the hash, so that a forged hash gains nothing.
  assert.match(weakETag("[é]", true), /^W\/"00000003.*-linked"$/);
  assert.equal(weakETag("0123456789abcdefg".repeat(3)), 'W/"0000003337ae0e58b0c3e986"');
});
