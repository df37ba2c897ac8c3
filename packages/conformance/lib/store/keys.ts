/** The cases of API keys. */

import assert from "node:assert/strict";
import type { KeyStore, PetStore, StoredKey } from "@petstore/petstore/store";
import { cases, draft, type StoreCase } from "./case.ts";

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

const RUNS: Record<string, (keys: KeyStore, store: PetStore) => Promise<void>> = {
  async "keeps keys as they were added, in this order, and none at first"(keys, store) {
    assert.deepEqual(await keys.list(), []);
    const added = [
      keyOf("b", { label: `"Quote\\", ünïcode 😀, {braces}, 'single'`, caller: "a caller, with comma" }),
      keyOf("a", { readOnly: true, expires: new Date(4_000_000_000_999) }),
      keyOf("c"),
    ];
    for (const each of added) assert.equal(await keys.add(each), true);
    assert.deepEqual(await keys.list(), added);
    // The list is a copy: a change to it does not change the store.
    (await keys.list() as StoredKey[])[0]!.label = "changed";
    assert.deepEqual(await keys.list(), added);
    assert.equal(await store.create(draft()), 1n);
  },
  async "revokes a key once, and returns false for an unknown key"(keys) {
    await keys.add(keyOf("a"));
    await keys.add(keyOf("b"));
    assert.equal(await keys.revoke("key-a", at(5)), true);
    assert.equal(await keys.revoke("key-a", at(9)), true);
    // The clock of another program may be slow.
    assert.equal(await keys.revoke("key-a", at(1)), true);
    assert.equal(await keys.revoke("key-x", at(9)), false);
    assert.deepEqual(await keys.list(), [keyOf("a", { revoked: at(5) }), keyOf("b")]);
  },
  async "sets the expiry of a replaced key, and never makes it later than it was"(keys) {
    await keys.add(keyOf("a"));
    await keys.add(keyOf("b", { expires: at(10) }));
    assert.equal(await keys.add(keyOf("c"), { id: "key-a", expires: at(60) }), true);
    assert.equal(await keys.add(keyOf("d"), { id: "key-a", expires: at(90) }), true);
    assert.equal(await keys.add(keyOf("e"), { id: "key-b", expires: at(60) }), true);
    assert.deepEqual(await keys.list(), [
      keyOf("a", { expires: at(60) }),
      keyOf("b", { expires: at(10) }),
      keyOf("c"),
      keyOf("d"),
      keyOf("e"),
    ]);
  },
  async "adds no key whose id or digest it has, replaces none that is missing or revoked, and then changes nothing"(
    keys,
  ) {
    await keys.add(keyOf("a"));
    await keys.add(keyOf("b"));
    await keys.revoke("key-a", at(1));
    const { id, digest } = keyOf("a");
    for (const known of [{ id }, { digest }]) {
      for (const replaced of [undefined, { id: "key-b", expires: at(60) }]) {
        assert.equal(await keys.add(keyOf("c", known), replaced), false);
      }
    }
    for (const id of ["key-a", "key-x"]) assert.equal(await keys.add(keyOf("c"), { id, expires: at(60) }), false);
    assert.deepEqual(await keys.list(), [keyOf("a", { revoked: at(1) }), keyOf("b")]);
  },
  async "tells each reader what has changed since its own last look, and nothing if nothing has"(keys) {
    if (!keys.listSince) return;
    const first = await keys.listSince("");
    assert.deepEqual(first.keys, []);
    let last = first.version;
    const changes: (() => unknown)[] = [
      () => keys.add(keyOf("a", { expires: new Date(4_000_000_000_000) })),
      () => keys.add(keyOf("b", { readOnly: true })),
      () => keys.add(keyOf("c"), { id: "key-a", expires: at(60) }),
      () => keys.revoke("key-b", at(1)),
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
  async "loses no change when keys are changed and pets are created concurrently"(keys, store) {
    await keys.add(keyOf("a"));
    const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
    const outcomes = await Promise.all([
      ...names.map(async (name) => await keys.add(keyOf(name))),
      ...names.map(async () => await keys.add(keyOf("same"))),
      ...names.map(async () => await store.create(draft())),
      keys.revoke("key-a", at(1)),
    ]);
    assert.deepEqual(outcomes.slice(0, 20), names.map(() => true));
    assert.equal(outcomes.slice(20, 40).filter((isAdded) => isAdded).length, 1);
    const list = await keys.list();
    assert.deepEqual(list.map(({ label }) => label).sort(), ["a", "same", ...names].sort());
    assert.deepEqual(list[0]?.revoked, at(1));
  },
  async "replaces a key completely or not at all while the key is revoked"(keys) {
    for (let i = 0; i < 20; i++) {
      const old = keyOf(`o${i}`);
      const next = keyOf(`n${i}`);
      await keys.add(old);
      const [isAdded] = await Promise.all([
        keys.add(next, { id: old.id, expires: at(60) }),
        keys.revoke(old.id, at(1)),
      ]);
      const list = await keys.list();
      const known = list.find(({ id }) => id === old.id);
      assert.deepEqual(known?.revoked, at(1));
      assert.deepEqual(known.expires, isAdded ? at(60) : undefined);
      assert.equal(list.some(({ id }) => id === next.id), isAdded);
    }
  },
};

export const KEY_CASES: StoreCase[] = Object.entries(RUNS).flatMap(([name, run]) =>
  cases("keys", { [name]: (store) => run(store.keys!, store) }, ["keys"])
);
