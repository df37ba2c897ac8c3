/** What a key ring takes for the same key, how long that takes, and how many keys are remembered. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "../../lib/access/key_digest.ts";
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

test("a digest is computed at the first use of a key only, and 10,000 accepted keys are remembered, and no more", async () => {
  const ring = await new KeyRing().add([{ ...recordOf(""), key: { digest: await digestOf("hashed") } }]);
  const accepted = new AcceptedKeys();
  await Promise.all([ring.find("hashed"), accepted.callerOf("pk_0")]);
  await Promise.all(Array.from({ length: 9_999 }, (_, i) => accepted.callerOf(`pk_${i + 1}`)));
  assert.deepEqual([ring.find("hashed"), accepted.callerOf("pk_0"), accepted.callerOf("pk_9999")].map(isPromise), [
    false,
    false,
    false,
  ]);
  await accepted.callerOf("pk_10000");
  assert.equal(isPromise(accepted.callerOf("pk_0")), true);
});
