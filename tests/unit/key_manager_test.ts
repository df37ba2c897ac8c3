/** The keys that a key manager makes, and what it refuses or does in rare cases. key_reads_test.ts and key_cache_test.ts have reads of keys. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { type AddedKey, createKeyManager, type KeyManagerOptions } from "../../lib/access/create_key_manager.ts";
import { type KeyStore, StoreUnavailableError } from "../../lib/stores/store.ts";
import { withClock } from "../../packages/conformance/lib/clock.ts";
import { keyOf } from "../../packages/conformance/lib/store/keys.ts";
import { createMemoryStore, createPetstore } from "../../mod.ts";
import { askerOf } from "../support/asker.ts";
import { petRequest, REX } from "../support/pet_requests.ts";
import { whileReplaced } from "../support/while_replaced.ts";

function open(options: KeyManagerOptions = {}, store: KeyStore = createMemoryStore().keys) {
  const manager = createKeyManager(store, options);
  return { store, manager, ask: askerOf(manager) };
}

/** A store with some methods replaced. */
function over(store: KeyStore, replaced: Partial<KeyStore>): KeyStore {
  const bound = (["list", "add", "revoke"] as const).map((name) => [name, store[name].bind(store)]);
  return { ...Object.fromEntries(bound), ...replaced };
}

const HOUR = 3_600_000, DAY = 24 * HOUR;

function inDays(days: number): Date {
  return new Date(Date.now() + days * DAY);
}

const LABEL = "The label of a key must be 1 to 100 characters, without control characters, such as ci";
const EXPIRY = "The expiry of a key must be a Date in the future";
const STORE = "A key manager needs a KeyStore, such as createMemoryStore().keys; it has no";

/** Wrong arguments of each function, and the errors. The options of createPetstore() have the other kinds of checks. */
const WRONG: Record<"add" | "rotate" | "create" | "open", [given: unknown, error: string][]> = {
  add: [
    ...["", " ", "a\nb", "x".repeat(101), "\ud800"].map((label) =>
      [{ label }, `RangeError: ${LABEL}`] as [unknown, string]
    ),
    [{}, `TypeError: ${LABEL}`],
    [{ label: "ci", expires: new Date(0) }, `RangeError: ${EXPIRY}`],
    [{ label: "ci", expires: new Date(NaN) }, `RangeError: ${EXPIRY}`],
    [{ label: "ci", expires: "tomorrow" }, `TypeError: ${EXPIRY}`],
    [{ label: "ci", caller: "" }, "TypeError: The caller of a key must be a string that is not empty"],
    [{ label: "ci", readOnly: "no" }, 'TypeError: Option readOnly must be one of true, false, not "no"'],
    [{ label: "ci", expire: 0 }, "TypeError: Unknown option expire; the options are label, expires, readOnly, caller"],
  ],
  rotate: [
    [{ overlapMs: -1 }, "RangeError: overlapMs must be milliseconds, 0 or more, not -1"],
    [{ overlapMs: Infinity }, "RangeError: overlapMs must be milliseconds, 0 or more, not Infinity"],
    [{ overlapMs: "1d" }, "TypeError: overlapMs must be milliseconds, 0 or more, not 1d"],
    [{ expires: new Date(0) }, `RangeError: ${EXPIRY}`],
  ],
  create: [[{ keys: [] }, "TypeError: Option keys must be API keys, such as keys: [key], a key manager or a function"]],
  open: [[null, `TypeError: ${STORE} list()`], [{ list: () => [], add: () => false }, `TypeError: ${STORE} revoke()`]],
};

test("a key manager makes keys with all rights, and with labels of up to 100 characters", async () => {
  const { manager, ask } = open();
  const added: AddedKey[] = [];
  for (const letter of ["x", "\u{1f436}"]) added.push(await manager.add({ label: letter.repeat(100) }));
  for (const { id, key, caller, readOnly, expires } of added) {
    assert.deepEqual([caller, readOnly, expires], [id, false, undefined]);
    assert.match(`${id} ${key}`, /^key-[0-9a-f]{12} petstore_[0-9A-Za-z]{36}$/);
  }
  assert.deepEqual(await manager.list(), added.map(({ key: _, ...info }) => info));
  assert.deepEqual(await ask(...added), [200, 200]);
});

test("a successor of a key lives as long as its own line, however often a key is replaced, and no key longer than it may", async () => {
  const { manager, ask } = open();
  const days = ({ expires }: { expires: Date | undefined }) => expires && Math.round((+expires - Date.now()) / DAY);
  const old = await manager.add({ label: "ci", caller: "shop", expires: inDays(90) });
  const endless = await manager.add({ label: "endless", caller: "shop" });
  await manager.add({ label: "web", caller: "shop", expires: inDays(30) });
  await manager.add({ label: "ci", caller: "other", expires: inDays(10) });
  await withClock(10 * DAY, async () => {
    assert.equal(days(await manager.rotate(old.id, { overlapMs: 20 * DAY })), 90);
  });
  for (let i = 0; i < 2; i++) assert.equal(days(await manager.rotate(old.id, { overlapMs: HOUR })), 90);
  assert.equal(days(await manager.rotate(endless.id)), undefined);
  const next = await manager.rotate(old.id, { expires: inDays(5) });
  assert.deepEqual([days(next), await ask(old, next)], [5, [200, 200]]);
  await withClock(2 * HOUR, async () => {
    assert.deepEqual(await ask(old, next), [401, 200]);
    await assert.rejects(manager.rotate(old.id), { name: "UnknownKeyError", id: old.id });
  });
});

test("a key manager refuses wrong arguments, says why, and keeps the keys as they were", async () => {
  const { manager, store: keys } = open();
  const { id } = await manager.add({ label: "ci" });
  const before = await keys.list();
  const calls: Record<keyof typeof WRONG, (given: never) => unknown> = {
    add: manager.add,
    rotate: (options) => manager.rotate(id, options),
    create: (options) => createKeyManager(keys, options),
    open: (store) => createKeyManager(store),
  };
  for (const [name, call] of Object.entries(calls)) {
    for (const [given, error] of WRONG[name as keyof typeof WRONG]) {
      assert.equal(await (async () => await call(given as never))().catch(String), error);
    }
  }
  assert.deepEqual(await keys.list(), before);
});

test("an outage that no onOutage is told of is printed, and its end is not", async () => {
  const printed: unknown[][] = [];
  await whileReplaced(console, { error: (...line: unknown[]) => printed.push(line) }, async () => {
    const { keys } = createMemoryStore();
    const cause = new StoreUnavailableError("broken");
    let isBroken = false;
    const { manager } = open({}, over(keys, { list: () => isBroken ? Promise.reject(cause) : keys.list() }));
    await manager.check();
    for (isBroken of [true, false]) await manager.check().catch(() => {});
    assert.deepEqual(printed, [["The API keys cannot be read at the moment; the last known ones stay valid", cause]]);
  });
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
  // A store does so whose keys never change.
  const refusing = open({}, over(keys, { add: () => false })).manager;
  await assert.rejects(refusing.add({ label: "ci" }), {
    name: "UnknownKeyError",
    message: /^There is no valid key "key-/,
  });
  await whileReplaced(Date, { now: () => 5_000_000_000_000 }, async () => {
    const { manager } = open();
    const ending = await manager.add({ label: "ci", expires: new Date(Date.now() + 1) });
    Date.now = () => 5_000_000_000_001;
    await assert.rejects(manager.rotate(ending.id), { name: "UnknownKeyError", id: ending.id });
    await assert.rejects(manager.add({ label: "ci", expires: new Date(Date.now()) }), { name: "RangeError" });
  });
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

test("a key has its own rights and caller: a successor those of the key before, and a setting its own", async () => {
  const { keys } = createMemoryStore();
  const { key, id } = await createKeyManager(keys).add({ label: "ci", caller: "shop", readOnly: true });
  const seen: unknown[] = [];
  const manager = createKeyManager(keys, { keys: [{ key, caller: "of the setting" }] });
  const next = await manager.rotate(id);
  assert.deepEqual([next.caller, next.label, next.readOnly, next.created.getTime() > 0], ["shop", "ci", true, true]);
  const { handle } = createPetstore({ keys: manager, onResponse: ({ caller, status }) => seen.push([caller, status]) });
  for (const given of [key, next.key]) {
    const headers = { authorization: `Bearer ${given}` };
    await handle(petRequest("/v1/pets", { method: "POST", headers, body: REX }));
  }
  await manager.revoke(next.id);
  assert.deepEqual(await askerOf(manager)(next, { key }), [401, 200]);
  assert.deepEqual(seen, [[{ id: "of the setting", readOnly: false }, 201], [{ id: "shop", readOnly: true }, 403]]);
});
