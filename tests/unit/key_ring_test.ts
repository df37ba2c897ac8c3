/** What a key ring takes for the same key, how long that takes, and how many keys are remembered. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { AcceptedKeys, type KeyRecord, KeyRing } from "../../lib/access/key_ring.ts";
import { hashText } from "../../lib/http/hash.ts";
import { isPromise } from "../../lib/promises.ts";

function recordOf(text: string): KeyRecord {
  return { key: { text }, caller: `caller of ${text}`, expires: Infinity, readOnly: false };
}

/** Found for this seed, which is random otherwise: these have the same hash. */
const SEED = 2_454_953_768;
const ALIKE = ["pk_right", "pk_righte", "pkhzbgaz"];

test("keys with the same hash are not taken for each other", async () => {
  assert.equal(new Set(ALIKE.map((key) => hashText(key, SEED))).size, 1);
  for (const known of [...ALIKE.map((key) => [key]), ALIKE]) {
    const ring = await new KeyRing(SEED).add(known.map(recordOf));
    for (const key of ALIKE) {
      const owner = await ring.find(key);
      assert.equal(owner?.caller.id, known.includes(key) ? `caller of ${key}` : undefined);
    }
  }
});

/** How often a ring reads a character of a key, by its place. */
function readsOf(ring: KeyRing, key: string): number[] {
  const reads: number[] = Array(key.length).fill(0);
  const charCodeAt = (i: number) => {
    reads[i]!++;
    return key.charCodeAt(i);
  };
  assert.equal(isPromise(ring.find({ length: key.length, charCodeAt } as unknown as string)), false);
  return reads;
}

test("a check reads each character of a key once, and once more for each key with its hash, right or wrong", async () => {
  const known = await new KeyRing(SEED).add([recordOf("pk_right")]);
  for (const key of ["pk_right", "pkhzbgaz", "xk_right", "pk_righx", "pk_righ", "pk_rightx"]) {
    assert.deepEqual(readsOf(known, key), Array(key.length).fill(ALIKE.includes(key) ? 2 : 1), key);
  }
});

test("10,000 keys that a verifier accepted are remembered, and no more", async () => {
  const accepted = new AcceptedKeys();
  // A remembered key needs no digest, and so no promise.
  const isRemembered = (key: string) => !isPromise(accepted.callerOf(key));
  for (let i = 0; i < 10_000; i++) await accepted.callerOf(`pk_${i}`);
  assert.deepEqual([isRemembered("pk_0"), isRemembered("pk_9999")], [true, true]);
  await accepted.callerOf("pk_10000");
  assert.equal(isRemembered("pk_0"), false);
});
