/** Cursors: an id survives the round trip, and every other text is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCursor, parseCursor } from "../../lib/operations/paging.ts";

test("a cursor is URL-safe and decodes to its id", () => {
  for (const id of [1n, 20n, 123n, 2n ** 53n - 1n, 2n ** 53n, 10n ** 18n, 2n ** 63n - 1n]) {
    const cursor = formatCursor(id);
    assert.match(cursor, /^[A-Za-z0-9_-]+$/);
    assert.equal(parseCursor(cursor), id);
  }
});

test("parseCursor() refuses an id outside the range of a store", () => {
  for (const id of [0n, -1n, 2n ** 63n, 9999999999999999999n, -(2n ** 63n) - 1n, 10n ** 30n]) {
    assert.equal(parseCursor(formatCursor(id)), undefined, String(id));
  }
});

test("a cursor with one changed character is refused or means another id", () => {
  for (const id of [1n, 12n, 123n, 2n ** 53n - 1n]) {
    const cursor = formatCursor(id);
    for (let i = 0; i < cursor.length; i++) {
      for (const character of "Az09_-+/=%. é\n") {
        if (cursor[i] === character) continue;
        const changed = parseCursor(cursor.slice(0, i) + character + cursor.slice(i + 1));
        assert(changed !== id && (changed ?? 0n) >= 0n, `${cursor}: ${character} at ${i}: ${changed}`);
      }
      assert.notEqual(parseCursor(cursor.slice(0, i)), id);
    }
  }
});

test("parseCursor() refuses every text that formatCursor() does not make", () => {
  const contents = ["after:", "after:abc", "after:0x10", "after: 1", "after:1 ", "after:01", "after:+1", "after:1.0"];
  contents.push("after:1n", "after:-0", "after:1e3", "after:1\0", "before:1", "1", "");
  for (const text of contents) assert.equal(parseCursor(btoa(text).replaceAll("=", "")), undefined, text);
  const padded = btoa("after:1");
  for (const cursor of [padded, "null", "after:1", ` ${formatCursor(1n)}`, `${formatCursor(1n)}\n`, "é"]) {
    assert.equal(parseCursor(cursor), undefined, cursor);
  }
  assert.equal(parseCursor("YWZ0ZXI6".repeat(2 ** 17)), undefined);
});
