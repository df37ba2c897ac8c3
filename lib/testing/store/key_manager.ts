/** A key manager on the keys of the store: what it adds, replaces and revokes, and what it refuses. */

import assert from "node:assert/strict";
import type { KeyStore, PetStore } from "../../stores/store.ts";
import { type ApiKeys, createPetstore } from "../../../mod.ts";
import {
  type AddedKey,
  createKeyManager,
  type NewKeyOptions,
  type RotateOptions,
} from "../../access/key_management.ts";
import { withClock } from "../clock.ts";
import type { StoreCase } from "./case.ts";
import { casesOfKeys, type KeyRuns } from "./keys.ts";

const HOUR = 3_600_000, DAY = 24 * HOUR;

function inDays(days: number): Date {
  return new Date(Date.now() + days * DAY);
}

/** Sends a request with each key to a petstore with these keys, one after the other. Resolves to the statuses. */
export type Ask = (...all: Pick<AddedKey, "key">[]) => Promise<number[]>;

export function askerOf(keys: ApiKeys, store: PetStore, onError?: (info: { error: unknown }) => void): Ask {
  const { handle } = createPetstore({ keys, store, ...onError && { onError } });
  return async (...all) => {
    const statuses: number[] = [];
    for (const { key } of all) {
      const headers = { authorization: `Bearer ${key}` };
      statuses.push((await handle(new Request("http://petstore.example/v1/pets", { headers }))).status);
    }
    return statuses;
  };
}

const LABEL = "The label of a key must be 1 to 100 characters, without control characters, such as ci";
const EXPIRY = "The expiry of a key must be a Date in the future";
const CALLER = "The caller of a key must be a string that is not empty";
const KEY_STORE = "A key manager needs a KeyStore, such as createMemoryStore().keys; it has no";

/** Wrong options, by the error that they cause. */
type Wrong = Readonly<Record<string, readonly unknown[]>>;

const WRONG_KEYS: Wrong = {
  [`RangeError: ${LABEL}`]: ["", " ", "a\nb", "x".repeat(101), "\ud800"].map((label) => ({ label })),
  [`TypeError: ${LABEL}`]: [{}, { label: ["ci"] }],
  [`RangeError: ${EXPIRY}`]: [0, NaN].map((time) => ({ label: "ci", expires: new Date(time) })),
  [`TypeError: ${EXPIRY}`]: [{ label: "ci", expires: "tomorrow" }],
  [`TypeError: ${CALLER}`]: ["", 7].map((caller) => ({ label: "ci", caller })),
  "TypeError: The right readOnly of a key must be a boolean": [{ label: "ci", readOnly: "no" }],
  'TypeError: A new key has no option "expire"': [{ label: "ci", expire: new Date(0) }],
};

const WRONG_ROTATIONS: Wrong = {
  "RangeError: overlapMs must be milliseconds, 0 or more, not -1": [{ overlapMs: -1 }],
  "RangeError: overlapMs must be milliseconds, 0 or more, not Infinity": [{ overlapMs: Infinity }],
  "TypeError: overlapMs must be milliseconds, 0 or more, not 1d": [{ overlapMs: "1d" }],
  [`RangeError: ${EXPIRY}`]: [{ expires: new Date(0) }],
  'TypeError: A rotation has no option "expire"': [{ expire: new Date(0) }],
};

const WRONG_MANAGERS: Wrong = {
  'TypeError: A key manager has no option "key"': [{ key: [] }],
  "TypeError: onOutage must be a function": [{ onOutage: "log" }],
  "TypeError: Option keys must be API keys, such as keys: [key], a key manager or a function": [{ keys: [] }],
};

const WRONG_STORES: Wrong = {
  [`TypeError: ${KEY_STORE} list()`]: [undefined, null, {}],
  [`TypeError: ${KEY_STORE} touch()`]: [{ list: () => [], add: () => false, revoke: () => false }],
};

/** Each wrong value must make the call reject with its error. */
async function assertRefused(wrong: Wrong, call: (value: unknown) => Promise<unknown>): Promise<void> {
  for (const [message, values] of Object.entries(wrong)) {
    for (const value of values) assert.equal(await call(value).catch(String), message);
  }
}

const RUNS: KeyRuns = {
  async "lets a key manager add, replace and revoke the keys of a petstore"(keys, store) {
    const manager = createKeyManager(keys, { keys: ["fixed"] });
    const ask = askerOf(manager, store);
    const expires = new Date(Date.now() + HOUR);
    const old = await manager.add({ label: "ci", readOnly: true, caller: "shop", expires });
    const other = await manager.add({ label: "other" });
    const next = await manager.rotate(old.id);
    const fixed = { key: "fixed" };
    assert.deepEqual(await ask(old, other, next, fixed), [200, 200, 200, 200]);
    const last = await manager.rotate(next.id, { overlapMs: 0, expires });
    await manager.revoke(other.id);
    assert.deepEqual(await ask(old, other, next, last, fixed), [200, 401, 401, 200, 200]);
    for (const { id } of [other, next, { id: "key-0" }]) {
      await assert.rejects(manager.rotate(id), {
        ...{ name: "UnknownKeyError", id, message: `There is no valid key "${id}"` },
      });
    }
    await assert.rejects(manager.revoke("key-0"), { name: "UnknownKeyError", message: 'There is no key "key-0"' });
    await manager.flush();
    const list = await manager.list();
    assert.deepEqual(list.map(({ id }) => id), [old, other, next, last].map(({ id }) => id));
    for (const { label, caller, readOnly, revoked, lastUsed } of list.toSpliced(1, 1)) {
      assert.deepEqual([label, caller, readOnly, revoked], ["ci", "shop", true, undefined]);
      assert.ok(lastUsed);
    }
    assert.ok(list[1]?.revoked && list[1].caller === other.id);
    assert.deepEqual([list[0]?.expires, list[3]?.expires], [expires, expires]);
    const kept = JSON.stringify(await keys.list());
    for (const { key } of [old, other, next, last]) assert.ok(!kept.includes(key));
  },
  async "lets a key manager make keys of one form, with all rights, and with labels of up to 100 characters"(
    keys,
    store,
  ) {
    const manager = createKeyManager(keys);
    const added: AddedKey[] = [];
    for (const letter of ["x", "\u{1f436}"]) {
      for (let i = 0; i < 10; i++) added.push(await manager.add({ label: letter.repeat(100) }));
    }
    for (const { id, key, caller, readOnly, expires } of added) {
      assert.deepEqual([caller, readOnly, expires], [id, false, undefined]);
      assert.match(id, /^key-[0-9a-f]{12}$/);
      assert.match(key, /^petstore_[0-9A-Za-z]{36}$/);
    }
    assert.deepEqual(await manager.list(), added.map(({ key: _, ...info }) => info));
    // Of 62 equally likely characters, half are among any 600.
    assert.ok(new Set(added.map(({ key }) => key.slice(9)).join("")).size > 31);
    assert.deepEqual(await askerOf(manager, store)(...added), added.map(() => 200));
  },
  async "lets a successor live as long as its own line, however often a key is replaced, and no key longer than it may"(
    keys,
    store,
  ) {
    const manager = createKeyManager(keys);
    const ask = askerOf(manager, store);
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
  },
  async "lets a key manager refuse wrong arguments, and says why, and keeps the keys as they were"(keys) {
    const manager = createKeyManager(keys);
    const { id } = await manager.add({ label: "ci" });
    const before = await keys.list();
    await assertRefused(WRONG_KEYS, (options) => manager.add(options as NewKeyOptions));
    await assertRefused(WRONG_ROTATIONS, (options) => manager.rotate(id, options as RotateOptions));
    assert.deepEqual(await keys.list(), before);
    await assertRefused(WRONG_MANAGERS, async (options) => await createKeyManager(keys, options as object));
    await assertRefused(WRONG_STORES, async (store) => await createKeyManager(store as KeyStore));
  },
};

export const KEY_MANAGER_CASES: StoreCase[] = casesOfKeys(RUNS);
