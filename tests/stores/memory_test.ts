/**
 * When the memory store forgets requests. What it keeps is in the contract; what it has forgotten
 * shows in the work of a Map alone.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryStore } from "../../mod.ts";
import { whileReplaced } from "../support/while_replaced.ts";

/** Sends requests with these keys at a moment, and returns the keys that are deleted from maps meanwhile. */
async function createAt(now: number, store: ReturnType<typeof createMemoryStore>, keys: string): Promise<string> {
  const { delete: original } = Map.prototype;
  let deleted = "";
  const remove = function (this: Map<unknown, unknown>, key: unknown) {
    if (this.has(key)) deleted += key;
    return original.call(this, key);
  };
  await whileReplaced(
    Map.prototype as object,
    { delete: remove },
    () =>
      whileReplaced(Date, { now: () => now }, async () => {
        for (const key of keys) {
          await store.createOnce!({ name: "Rex", categoryId: 7n, status: "sold" }, {
            key,
            fingerprint: key,
            retentionMs: 500,
          });
        }
      }),
  );
  return deleted;
}

test("a memory store forgets up to two expired requests at each create, the oldest first, also after a key is used again", async () => {
  const store = createMemoryStore();
  assert.equal(await createAt(1000, store, "abcdefg"), "");
  assert.equal(await createAt(1499, store, "h"), "");
  assert.equal(await createAt(1500, store, "cj"), "cabde");
  assert.equal(await createAt(1998, store, "kl"), "fg");
  assert.equal(await createAt(1999, store, "m"), "h");
});
