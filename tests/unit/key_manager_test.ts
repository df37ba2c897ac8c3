/**
 * The keys that a key manager makes, and what it refuses or does in rare cases. key_cache_test.ts
 * has reads of keys.
 */

import assert from "node:assert/strict";
import test from "node:test";
import { createKeyManager, type KeyManagerOptions } from "../../lib/access/create_key_manager.ts";
import type { KeyStore } from "../../lib/stores/store.ts";
import { withClock } from "../../packages/conformance/lib/store/case.ts";
import { createMemoryStore, createPetstore } from "../../mod.ts";
import { petRequest, REX } from "../support/pet_requests.ts";

function open(options: KeyManagerOptions = {}, store: KeyStore = createMemoryStore().keys) {
  const manager = createKeyManager(store, options);
  const { handle } = createPetstore({ keys: manager });
  /** The statuses of a request with each key. */
  const ask = (...all: { key: string }[]) =>
    Array.fromAsync(all, async ({ key }) => (await handle(petRequest("/v1/pets", bearer(key)))).status);
  return { store, manager, ask };
}

function bearer(key: string) {
  return { headers: { authorization: `Bearer ${key}` } };
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function inDays(days: number): Date {
  return new Date(Date.now() + days * DAY);
}

test("a key has all rights and no end unless it is told, and a successor those of the key that it replaces", async () => {
  const { manager, ask } = open();
  const days = ({ expires }: { expires: Date | undefined }) => expires && Math.round((+expires - Date.now()) / DAY);
  const { key, ...info } = await manager.add({ label: "\u{1f436}".repeat(100) });
  assert.match(`${info.id} ${key}`, /^key-[0-9a-f]{12} petstore_[0-9A-Za-z]{36}$/);
  assert.deepEqual([info.caller, info.readOnly, info.expires], [info.id, false, undefined]);
  assert.deepEqual(await manager.list(), [info]);
  assert.equal(days(await manager.rotate(info.id)), undefined);
  const old = await manager.add({ label: "ci", caller: "shop", readOnly: true, expires: inDays(90) });
  // It lives as long as its own line, although the key before it ends with the overlap.
  for (let i = 0; i < 2; i++) assert.equal(days(await manager.rotate(old.id, { overlapMs: HOUR })), 90);
  const next = await manager.rotate(old.id, { expires: inDays(5) });
  assert.deepEqual([days(next), next.label, next.caller, next.readOnly], [5, "ci", "shop", true]);
  assert.deepEqual(await ask({ key }, old, next), [200, 200, 200]);
  await withClock(2 * HOUR, async () => {
    assert.deepEqual(await ask(old, next), [401, 200]);
    const error = { name: "UnknownKeyError", id: old.id, message: `There is no valid key "${old.id}"` };
    await assert.rejects(manager.rotate(old.id), error);
  });
});

test("a key of a setting has its own caller beside that of the store, and stays valid when that is revoked", async () => {
  const { store, manager: first } = open();
  const { key, id } = await first.add({ label: "ci", caller: "shop", readOnly: true });
  const { manager, ask } = open({ keys: [{ key, caller: "of the setting" }] }, store);
  const seen: unknown[] = [];
  const { handle } = createPetstore({ keys: manager, onResponse: ({ caller }) => seen.push(caller) });
  await handle(petRequest("/v1/pets", { method: "POST", ...bearer(key), body: REX }));
  assert.deepEqual(seen, [{ id: "of the setting", readOnly: false }]);
  await manager.revoke(id);
  assert.deepEqual(await ask({ key }), [200]);
});

test("a key manager refuses wrong arguments, says why, and keeps the keys as they were", async () => {
  const { manager, store } = open();
  const { id } = await manager.add({ label: "ci" });
  const before = await store.list();
  const wrong: [call: () => unknown, error: RegExp][] = [
    [() => manager.add({ label: "a\nb" }), /^TypeError: Option label must be 1 to 100 characters, .*, not "a\\nb"$/],
    [
      () => manager.add({ label: "ci", expires: new Date(0) }),
      /^TypeError: Option expires must be a Date in the future/,
    ],
    [
      () => manager.add({ label: "ci", expire: 0 } as never),
      /^TypeError: Unknown option expire; the options are label, /,
    ],
    [() => manager.rotate(id, { overlapMs: -1 }), /^TypeError: Option overlapMs must be milliseconds, .*, not -1$/],
    [() => manager.rotate("key-0"), /^UnknownKeyError: There is no valid key "key-0"$/],
    [() => createKeyManager(store, { keys: [] }), /^TypeError: Option keys must be API keys/],
    [
      () => createKeyManager({ list: () => [] } as never),
      /^TypeError: Option store must be a KeyStore .* with add\(\)/,
    ],
  ];
  for (const [call, error] of wrong) assert.match(await (async () => await call())().then(() => "", String), error);
  assert.deepEqual(await store.list(), before);
});
