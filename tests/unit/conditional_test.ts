/** Entity tags in headers. The HTTP contract has 304. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { listsTag, weakETag } from "../../lib/http/conditional.ts";
import { formatPet } from "../../lib/pet.ts";

test("weakETag() gives every text a tag of its own, with and without a link; length and link are beside the hash", () => {
  const base = "abcd".repeat(500);
  const texts = ["", "a", "b", "ab", "ba", "[]", "é", "\0", "\0\0", base, base + "a", base + "\0", base + "\0\0"];
  texts.push("x".repeat(300_000), "x".repeat(300_001));
  for (let i = 0; i < 10_000; i++) texts.push(`[{"id":${i}}]`);
  for (let i = 0; i < base.length; i++) texts.push(base.slice(0, i) + "é" + base.slice(i + 1));
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

test("weakETag() gives two texts one tag if they were made for it, so the tag is weak", () => {
  // The second was computed in milliseconds: see docs/decisions.md.
  const [tag, forged] = ["Rex, the friendly old dog of the neighbours", "afp  the friendluaAed dog of the neighbours"]
    .map((name) => weakETag(formatPet({ id: 1n, name, categoryId: 7n, status: "available" })));
  assert.equal(tag, forged);
});

const TAG = '"a-b"';
const MATCHING = [TAG, "*", " * ", `"x", ${TAG}`, `"x",${TAG},"y"`, `"x" ,\t${TAG}`];
MATCHING.push(`W/${TAG}`, `W/"x", ${TAG} , "y"`, `"x,", ${TAG}`, `"*", ${TAG}`);
const OTHERS = [
  "",
  '"*"',
  '"a-bc"',
  '"xa-b"',
  '"a"',
  '"A-B"',
  "a-b",
  `w/${TAG}`,
  `W/W/${TAG}`,
  `W/ ${TAG}`,
  '""',
  '"x", "y"',
  `x${TAG}`,
];

test("listsTag() finds a tag in a header, alone or in a list, and takes a weak one for another", () => {
  for (const tag of [TAG, `W/${TAG}`]) {
    for (const header of MATCHING) assert.equal(listsTag(header, tag), true, header);
    for (const header of OTHERS) assert.equal(listsTag(header, tag), false, header);
  }
});
