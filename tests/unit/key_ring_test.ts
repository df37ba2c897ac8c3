/** What a key ring takes for the same key, and which keys it remembers. keys_test.ts has the forms of keys. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "../../lib/access/key_digest.ts";
import { AcceptedKeys, type KeyRecord, KeyRing } from "../../lib/access/key_ring.ts";
import { hashText } from "../../lib/http/hash.ts";
import { isPromise } from "../../lib/promises.ts";

const recordOf = (text: string): KeyRecord => (
  { key: { text }, caller: `caller of ${text}`, expires: Infinity, readOnly: false }
);

const hashedRecordOf = async (text: string): Promise<KeyRecord> => (
  { ...recordOf(text), key: { digest: await digestOf(text) } }
);

/** Found for this seed, which is random otherwise: these have the same hash. */
const SEED = 2_454_953_768;
const ALIKE = ["pk_right", "pk_righte", "pkhzbgaz"];

test("keys with the same hash are not taken for each other", async () => {
  const keys = ALIKE;
  assert.equal(new Set(keys.map((key) => hashText(key, SEED))).size, 1);
  for (const known of [...keys.map((key) => [key]), keys, keys.toReversed()]) {
    const ring = new KeyRing(SEED);
    await ring.add(known.map((key) => recordOf(key)));
    for (const key of keys) {
      const owner = await ring.find(key);
      assert.equal(owner?.caller.id, known.includes(key) ? `caller of ${key}` : undefined);
    }
  }
});

test("a key that was given as its digest is hashed at its first use only, and a key in clear never", async () => {
  const ring = new KeyRing();
  await ring.add([await hashedRecordOf("hashed"), recordOf("clear")]);
  const isHashed = (key: string) => isPromise(ring.find(key));
  assert.deepEqual([isHashed("clear"), isHashed("hashed"), isHashed("wrong")], [false, true, true]);
  await Promise.all(["hashed", "wrong"].map((key) => ring.find(key)));
  assert.deepEqual([isHashed("clear"), isHashed("hashed"), isHashed("wrong")], [false, false, true]);
});

test("10,000 keys that a verifier accepted are remembered, and no more", async () => {
  const accepted = new AcceptedKeys();
  const isHashed = (key: string) => isPromise(accepted.callerOf(key));
  await accepted.callerOf("pk_0"); // the oldest: concurrent digests may end in any order
  await Promise.all(Array.from({ length: 9_999 }, (_, i) => accepted.callerOf(`pk_${i + 1}`)));
  assert.deepEqual([isHashed("pk_0"), isHashed("pk_9999")], [false, false]);
  await accepted.callerOf("pk_10000");
  assert.deepEqual([isHashed("pk_10000"), isHashed("pk_0")], [false, true]);
});

/** How often a ring reads a character of a key, by its place. */
function readsOf(ring: KeyRing, key: string): Record<number, number> {
  const reads: Record<number, number> = {};
  const charCodeAt = (i: number) => {
    reads[i] = (reads[i] ?? 0) + 1;
    return key.charCodeAt(i);
  };
  const watched = { length: key.length, charCodeAt };
  assert.equal(isPromise(ring.find(watched as unknown as string)), false);
  return reads;
}

test("a check reads each character of a key once, and once more for each key with its hash, right or wrong", async () => {
  const all = (length: number, times: number) => Object.fromEntries(Array.from({ length }, (_, i) => [i, times]));
  const known = await new KeyRing(SEED).add([recordOf("pk_right")]);
  for (const key of ["pk_right", "pkhzbgaz", "xk_right", "pk_righx", "pk_righ", "pk_rightx"]) {
    assert.deepEqual(readsOf(known, key), all(key.length, ALIKE.includes(key) ? 2 : 1), key);
  }
  // Requests that come together compute the digest of a key several times, and the key is remembered once.
  const digests = await new KeyRing(SEED).add([await hashedRecordOf("pk_right")]);
  await Promise.all(Array.from({ length: 10 }, () => digests.find("pk_right")));
  await digests.add([recordOf("pkhzbgaz")]);
  assert.deepEqual(readsOf(digests, "pkhzbgaz"), all(8, 3));
});
