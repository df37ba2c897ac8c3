/** When the memory store forgets requests. What it keeps is in the contract; what it has forgotten shows in the work of a Map alone. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryStore } from "../../mod.ts";

/** Sends requests with these keys at a moment, and returns the keys that are deleted from maps meanwhile. */
function createAt(now: number, store: ReturnType<typeof createMemoryStore>, keys: string, retentionMs: number): string {
  const { delete: original } = Map.prototype;
  const realNow = Date.now;
  const deleted: unknown[] = [];
  Map.prototype.delete = function (key) {
    if (this.has(key)) deleted.push(key);
    return original.call(this, key);
  };
  Date.now = () => now;
  try {
    for (const key of keys) {
      store.createOnce!({ name: "Rex", categoryId: 7n, status: "sold" }, { key, fingerprint: key, retentionMs });
    }
  } finally {
    Map.prototype.delete = original;
    Date.now = realNow;
  }
  return deleted.join("");
}

test("a memory store forgets up to two expired requests at each create, the oldest first", () => {
  const store = createMemoryStore();
  assert.equal(createAt(1000, store, "abcdefg", 500), "");
  assert.equal(createAt(1499, store, "h", 500), "");
  assert.equal(createAt(1500, store, "ij", 500), "abcd");
  assert.equal(createAt(1998, store, "kl", 500), "efg");
  assert.equal(createAt(1999, store, "m", 500), "h");
});

test("a memory store keeps the order in which requests expire if a key is used again", () => {
  const store = createMemoryStore();
  createAt(0, store, "abcd", 100);
  assert.equal(createAt(100, store, "c", 1000), "cab");
  assert.equal(createAt(100, store, "e", 1000), "d");
});
