/** Cursors: an id survives the round trip, and every other text is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCursor, parseCursor } from "../../lib/operations/paging.ts";

test("a cursor is URL-safe and decodes to its id", () => {
  for (const id of [1n, 20n, 123n, 2n ** 53n - 1n, 2n ** 53n, 10n ** 18n, 2n ** 63n - 1n]) {
    const cursor = formatCursor(id);
    assert.match(cursor, /^[A-Za-z0-9_-]+$/);
    assert.equal(parseCursor(cursor), id);
    for (let i = 0; i < cursor.length; i++) assert.notEqual(parseCursor(cursor.slice(0, i)), id);
  }
});

test("parseCursor() refuses an id outside the range of a store, and every text that formatCursor() does not make", () => {
  const cursors = [0n, -1n, 2n ** 63n, 10n ** 30n].map(formatCursor);
  const contents = ["after:", "after:abc", "after:0x10", "after: 1", "after:1 ", "after:01", "after:+1", "after:1.0"];
  contents.push("after:1n", "after:-0", "after:1e3", "after:1\0", "before:1", "1", "");
  cursors.push(...contents.map((text) => btoa(text).replaceAll("=", "")), btoa("after:1"), "null", "after:1", "é");
  cursors.push(` ${formatCursor(1n)}`, `${formatCursor(1n)}\n`, "YWZ0ZXI6".repeat(2 ** 17));
  for (const cursor of cursors) assert.equal(parseCursor(cursor), undefined, cursor.slice(0, 40));
});
