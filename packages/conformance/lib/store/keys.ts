/** The cases of API keys. */

import assert from "node:assert/strict";
import type { KeyStore, StoredKey } from "@petstore/petstore/store";
import { cases, type StoreCase } from "./case.ts";

/** The time at which the keys of these cases were made. */
const MADE = new Date(1_590_000_000_001);

export function keyOf(name: string, parts: Partial<StoredKey> = {}): StoredKey {
  return {
    id: `key-${name}`,
    digest: name.padEnd(64, "-"),
    label: name,
    caller: `key-${name}`,
    readOnly: false,
    created: MADE,
    expires: undefined,
    revoked: undefined,
    ...parts,
  };
}

function at(seconds: number): Date {
  return new Date(MADE.getTime() + seconds * 1000);
}

const RUNS: Record<string, (keys: KeyStore) => Promise<void>> = {
  async "keeps keys as they were added, in this order, and none at first"(keys) {
    assert.deepEqual(await keys.list(), []);
    const added = [
      keyOf("b", { label: `"Quote\\", ünïcode 😀, {braces}, 'single'`, caller: "a caller, with comma" }),
      keyOf("a", { readOnly: true, expires: new Date(4_000_000_000_999) }),
      keyOf("c"),
    ];
    for (const each of added) assert.equal(await keys.add(each), true);
    assert.deepEqual(await keys.list(), added);
  },
  async "revokes a key once, and returns false for an unknown key"(keys) {
    await keys.add(keyOf("a"));
    await keys.add(keyOf("b"));
    // The clock of another program may be fast or slow.
    for (const seconds of [5, 9, 1]) assert.equal(await keys.revoke("key-a", at(seconds)), true);
    assert.equal(await keys.revoke("key-x", at(9)), false);
    assert.deepEqual(await keys.list(), [keyOf("a", { revoked: at(5) }), keyOf("b")]);
  },
  async "sets the expiry of a replaced key, and never makes it later than it was"(keys) {
    await keys.add(keyOf("a"));
    for (const [name, seconds] of [["b", 60], ["c", 90]] as const) {
      assert.equal(await keys.add(keyOf(name), { id: "key-a", expires: at(seconds) }), true);
    }
    assert.deepEqual(await keys.list(), [keyOf("a", { expires: at(60) }), keyOf("b"), keyOf("c")]);
  },
  async "adds no key whose id or digest it has, replaces none that is missing or revoked, and then changes nothing"(
    keys,
  ) {
    await keys.add(keyOf("a"));
    await keys.add(keyOf("b"));
    await keys.revoke("key-a", at(1));
    const { id, digest } = keyOf("a");
    for (const known of [{ id }, { digest }]) assert.equal(await keys.add(keyOf("c", known)), false);
    for (const id of ["key-a", "key-x"]) assert.equal(await keys.add(keyOf("c"), { id, expires: at(60) }), false);
    assert.equal(await keys.add(keyOf("c", { digest }), { id: "key-b", expires: at(60) }), false);
    assert.deepEqual(await keys.list(), [keyOf("a", { revoked: at(1) }), keyOf("b")]);
  },
  async "tells each reader what has changed since its own last look, and nothing if nothing has"(keys) {
    if (!keys.listSince) return;
    const first = await keys.listSince("");
    assert.deepEqual(first.keys, []);
    let last = first.version;
    const changes: (() => unknown)[] = [
      () => keys.add(keyOf("a")),
      () => keys.add(keyOf("c"), { id: "key-a", expires: at(60) }),
      () => keys.revoke("key-a", at(1)),
    ];
    for (const change of changes) {
      await change();
      for (const since of [last, first.version, ""]) {
        const { version, keys: list } = await keys.listSince(since);
        assert.deepEqual(list, await keys.list());
        assert.deepEqual(await keys.listSince(version), { version });
        last = version;
      }
    }
  },
  async "replaces a key completely or not at all while the key is revoked"(keys) {
    for (let i = 0; i < 20; i++) {
      const old = keyOf(`o${i}`);
      const next = keyOf(`n${i}`);
      await keys.add(old);
      const replace = keys.add(next, { id: old.id, expires: at(60) });
      const [isAdded] = await Promise.all([replace, keys.revoke(old.id, at(1))]);
      const list = await keys.list();
      const known = list.find(({ id }) => id === old.id);
      assert.deepEqual([known?.revoked, known?.expires], [at(1), isAdded ? at(60) : undefined]);
      assert.equal(list.some(({ id }) => id === next.id), isAdded);
    }
  },
};

export const KEY_CASES: StoreCase[] = Object.entries(RUNS).flatMap(([name, run]) =>
  cases("keys", { [name]: (store) => run(store.keys!) }, ["keys"])
);
