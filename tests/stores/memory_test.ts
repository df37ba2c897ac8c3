/** When the memory store forgets requests. What it keeps is in the contract; what it has forgotten shows in its map. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryStore } from "../../mod.ts";
import { whileReplaced } from "../support/while_replaced.ts";

/** Remembered requests at some moments: each is made with these keys, and then the map has those, the oldest first. */
const MOMENTS: [now: number, keys: string, remembered: string][] = [
  [1000, "abcdefg", "abcdefg"],
  [1499, "h", "abcdefgh"],
  [1500, "cj", "fghcj"],
  [1998, "kl", "hcjkl"],
  [1999, "m", "cjklm"],
];

test("a memory store forgets up to two expired requests at each create, the oldest first, also after a key is used again", async () => {
  const store = createMemoryStore();
  const { set } = Map.prototype;
  let remembered: unknown[] = [];
  const setSeen = function (this: Map<unknown, unknown>, key: unknown, value: unknown) {
    set.call(this, key, value);
    remembered = [...this.keys()];
    return this;
  };
  for (const [now, keys, expected] of MOMENTS) {
    await whileReplaced(Date, { now: () => now }, () =>
      whileReplaced(Map.prototype, { set: setSeen }, () => {
        for (const key of keys) {
          store.createOnce!({ name: "Rex", categoryId: 7n, status: "sold" }, {
            key,
            fingerprint: key,
            retentionMs: 500,
          });
        }
      }));
    assert.equal(remembered.join(""), expected);
  }
});
