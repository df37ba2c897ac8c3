/** What a key manager does in rare cases. made_keys_test.ts and key_reads_test.ts have the common ones, key_cache_test.ts the order of events. */

import { createKeyManager, type KeyManagerOptions } from "../../lib/access/key_management.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { withClock } from "../../lib/testing/clock.ts";
import { keyOf } from "../../lib/testing/store/keys.ts";
import { createMemoryStore } from "../../mod.ts";
import { type KeyStore, StoreUnavailableError } from "../../lib/stores/store.ts";
import { askerOf } from "../support/asker.ts";
import { whilePolluted } from "../support/polluted.ts";

function open(options: KeyManagerOptions = {}, store: KeyStore = createMemoryStore().keys) {
  const manager = createKeyManager(store, options);
  return { store, manager, ask: askerOf(manager) };
}

/** A store with some methods replaced. */
function over(store: KeyStore, replaced: Partial<KeyStore>): KeyStore {
  const bound = (["list", "add", "revoke", "touch", "remove"] as const).map((name) => [name, store[name].bind(store)]);
  return { ...Object.fromEntries(bound), ...replaced };
}

test("an outage that no onOutage is told of is printed, and its end is not", async () => {
  const { error } = console;
  const printed: unknown[][] = [];
  console.error = (...line: unknown[]) => printed.push(line);
  try {
    const { keys } = createMemoryStore();
    const cause = new StoreUnavailableError("broken");
    let isBroken = false;
    const { manager } = open({}, over(keys, { list: () => isBroken ? Promise.reject(cause) : keys.list() }));
    await manager.check();
    for (isBroken of [true, false]) await manager.check().catch(() => {});
    assert.deepEqual(printed, [["The API keys cannot be read at the moment; the last known ones stay valid", cause]]);
  } finally {
    console.error = error;
  }
});

test("a key that ends while it is replaced has no successor, and neither has one that has just expired", async () => {
  const { keys } = createMemoryStore();
  const revoking = over(keys, {
    async list() {
      const listed = keys.list();
      for (const { id } of await listed) keys.revoke(id, new Date());
      return listed;
    },
  });
  const { id } = await open({}, keys).manager.add({ label: "ci" });
  const message = `There is no valid key "${id}"`;
  await assert.rejects(open({}, revoking).manager.rotate(id), { name: "UnknownKeyError", id, message });
  // As a store would whose keys never change.
  const refusing = open({}, over(keys, { add: () => false })).manager;
  await assert.rejects(refusing.add({ label: "ci" }), {
    name: "UnknownKeyError",
    message: /^There is no valid key "key-/,
  });
  const { now } = Date;
  Date.now = () => 5_000_000_000_000;
  try {
    const { manager } = open();
    const ending = await manager.add({ label: "ci", expires: new Date(Date.now() + 1) });
    Date.now = () => 5_000_000_000_001;
    await assert.rejects(manager.rotate(ending.id), { name: "UnknownKeyError", id: ending.id });
    await assert.rejects(manager.add({ label: "ci", expires: new Date(Date.now()) }), { name: "RangeError" });
  } finally {
    Date.now = now;
  }
});

test("the other keys of a manager work on a store that has no keys and says so by its version alone", async () => {
  const store = over(createMemoryStore().keys, { listSince: (version) => ({ version }) });
  const { ask } = open({ keys: ["pk_fixed"] }, store);
  assert.deepEqual(await ask({ key: "pk_fixed" }, { key: "pk_other" }), [200, 401]);
});

test("a key with the prefix that was not made here is valid, as its digest and for a verifier too", async () => {
  const store = createMemoryStore().keys;
  const text = "petstore_my_own_key";
  const digest = createHash("sha256").update(text).digest("hex");
  store.add(keyOf("mine", { digest }));
  const verify = (key: string | undefined) => key === text;
  for (const keys of [[text], [`sha256:${digest}`], verify, createKeyManager(store)]) {
    assert.deepEqual(await askerOf(keys)({ key: text }), [200]);
  }
});

test("members that every object inherits are no options of a manager, and no rights of a key", async () => {
  const polluted = { keys: ["pk_of_another"], caller: "another", readOnly: true, overlapMs: 0, expires: new Date(NaN) };
  const { manager, added, next } = await whilePolluted(polluted, async () => {
    const manager = createKeyManager(createMemoryStore().keys);
    const added = await manager.add({ label: "ci" });
    return { manager, added, next: await manager.rotate(added.id) };
  });
  assert.deepEqual([added.caller, added.readOnly, added.expires, next.caller], [added.id, false, undefined, added.id]);
  assert.deepEqual(await askerOf(manager)({ key: "pk_of_another" }, added, next), [401, 200, 200]);
});

test("a use that is not yet written is not lost when another key is added", async () => {
  const { manager, ask } = open();
  const added = await manager.add({ label: "ci" });
  // Writes what there is to write, so that the next use waits for a minute.
  assert.deepEqual(await ask(added), [200]);
  await manager.flush();
  const [before] = await manager.list();
  await withClock(1_000, async () => {
    assert.deepEqual(await ask(added), [200]);
    await manager.add({ label: "another" });
    await manager.flush();
  });
  assert.ok((await manager.list())[0]!.lastUsed! > before!.lastUsed!);
});
