/** Keys that change while the petstore runs. key_cache_test.ts has the order of reads and changes. */

import { createKeyManager, type KeyManagerOptions, UnknownKeyError } from "../../lib/access/key_management.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { makeKey } from "../../lib/access/key_format.ts";
import {
  type ApiKeys,
  createMemoryStore,
  createPetstore,
  type KeyStore,
  type NewKeyOptions,
  type RotateOptions,
  StoreUnavailableError,
} from "../../mod.ts";
import { whilePolluted } from "../support/polluted.ts";

const HOUR = 3_600_000;

/** The status that a key gets from a petstore with these keys. */
function asker(keys: ApiKeys): (key: string) => Promise<number> {
  const { handle } = createPetstore({ keys, onError: () => {} });
  return async (key) =>
    (await handle(new Request("http://h/v1/pets", { headers: { authorization: `Bearer ${key}` } }))).status;
}

function open(options: KeyManagerOptions = {}, store: KeyStore = createMemoryStore().keys) {
  const manager = createKeyManager(store, options);
  return { store, manager, ask: asker(manager) };
}

/** A store with some methods replaced. */
function over(store: KeyStore, replaced: Partial<KeyStore>): KeyStore {
  const bound = (["list", "add", "revoke", "touch", "remove"] as const).map((name) => [name, store[name].bind(store)]);
  return { ...Object.fromEntries(bound), ...replaced };
}

/** Runs with a clock that can be moved, for what is known and for expiries. */
async function withClock(run: (advance: (ms: number) => void) => Promise<void>): Promise<void> {
  const { now } = performance, today = Date.now;
  let offset = 0;
  performance.now = () => now.call(performance) + offset;
  Date.now = () => today() + offset;
  try {
    await run((ms) => offset += ms);
  } finally {
    performance.now = now;
    Date.now = today;
  }
}

test("a key manager refuses a label, an expiry, an option or a store that is wrong", async () => {
  const { manager } = open();
  const wrong: [options: Record<string, unknown>, name: string, message: RegExp][] = [
    [{ label: "" }, "RangeError", /label/],
    [{ label: " " }, "RangeError", /label/],
    [{ label: "a\nb" }, "RangeError", /label/],
    [{ label: "x".repeat(101) }, "RangeError", /label/],
    [{ label: "\ud800" }, "RangeError", /label/],
    [{ label: undefined }, "TypeError", /label/],
    [{ label: ["ci"] }, "TypeError", /label/],
    [{ label: "ci", expires: new Date(0) }, "RangeError", /expiry/],
    [{ label: "ci", expires: new Date(NaN) }, "RangeError", /expiry/],
    [{ label: "ci", expires: "tomorrow" }, "TypeError", /expiry/],
    [{ label: "ci", caller: "" }, "TypeError", /caller/],
    [{ label: "ci", caller: 7 }, "TypeError", /caller/],
    [{ label: "ci", readOnly: "no" }, "TypeError", /readOnly/],
    [{ label: "ci", expire: new Date(0) }, "TypeError", /new key has no option "expire"/],
  ];
  for (const [options, name, message] of wrong) {
    await assert.rejects(manager.add(options as unknown as NewKeyOptions), { name, message });
  }
  for (const [overlapMs, name] of [[-1, "RangeError"], [Infinity, "RangeError"], ["1d", "TypeError"]]) {
    await assert.rejects(manager.rotate("key-1", { overlapMs } as RotateOptions), { name, message: /overlapMs/ });
  }
  const misspelt = { expire: new Date(0) } as RotateOptions;
  await assert.rejects(manager.rotate("key-1", misspelt), { name: "TypeError", message: /rotation .* "expire"/ });
  await assert.rejects(manager.rotate("key-1", { expires: new Date(0) }), { name: "RangeError", message: /expiry/ });
  assert.deepEqual(await manager.list(), []);
  const { keys } = createMemoryStore();
  for (const method of ["list", "add", "revoke", "touch"]) {
    const store = over(keys, { [method]: undefined });
    const message = `A key manager needs a KeyStore, such as createMemoryStore().keys; it has no ${method}()`;
    assert.throws(() => createKeyManager(store), { name: "TypeError", message });
  }
  assert.throws(() => createKeyManager(undefined as unknown as KeyStore), { name: "TypeError", message: /no list/ });
  const wrongOptions = [[{ key: [] }, /A key manager has no option "key"/], [{ onOutage: "log" }, /onOutage/], [
    { keys: [] },
    /keys/,
  ]] as const;
  for (const [options, message] of wrongOptions) {
    const create = () => createKeyManager(keys, options as unknown as KeyManagerOptions);
    assert.throws(create, { name: "TypeError", message });
  }
});

test("the label of a key has up to 100 characters, also those of two UTF-16 units, and its caller is the one given", async () => {
  const { manager, ask } = open();
  for (const label of ["x".repeat(100), "\u{1f436}".repeat(100)]) {
    const { key, caller } = await manager.add({ label, caller: "shop" });
    assert.deepEqual([caller, await ask(key)], ["shop", 200]);
  }
});

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

test("a key works once it is added, is listed without its text or digest, and is refused once it is revoked", async () => {
  const { store, manager, ask } = open({ keys: ["pk_fixed"] });
  assert.deepEqual([await ask(makeKey()), await ask("pk_fixed")], [401, 200]);
  const { key, ...info } = await manager.add({ label: "ci" });
  assert.deepEqual([await ask(key), await ask("pk_fixed"), await ask("pk_other")], [200, 200, 401]);
  // One manager is the option of several petstores.
  assert.equal(await asker(manager)(key), 200);
  assert.deepEqual(await manager.list(), [info]);
  const kept = JSON.stringify(await store.list());
  assert.ok(!kept.includes(key) && !JSON.stringify(info).includes((await store.list())[0]!.digest));
  await manager.revoke(info.id);
  assert.equal(await ask(key), 401);
  await assert.rejects(manager.revoke("key-0"), (error) => {
    assert.ok(error instanceof UnknownKeyError);
    assert.deepEqual([error.name, error.id, error.message], ["UnknownKeyError", "key-0", 'There is no key "key-0"']);
    return true;
  });
  await assert.rejects(manager.rotate("key-0"), { name: "UnknownKeyError", message: /no valid key "key-0"/ });
  await assert.rejects(manager.rotate(info.id), { name: "UnknownKeyError", message: /no valid key/ });
});

test("a rotated key and its successor are one caller, until the overlap ends", () =>
  withClock(async (advance) => {
    const { manager, ask } = open();
    const old = await manager.add({ label: "ci", readOnly: true, expires: new Date(Date.now() + 90 * 24 * HOUR) });
    advance(10 * 24 * HOUR);
    const next = await manager.rotate(old.id, { overlapMs: HOUR });
    assert.deepEqual([next.caller, next.label, next.readOnly], [old.caller, "ci", true]);
    assert.equal(Math.round((next.expires!.getTime() - Date.now()) / HOUR), 90 * 24);
    assert.notEqual(next.key, old.key);
    assert.deepEqual([await ask(old.key), await ask(next.key)], [200, 200]);
    advance(HOUR - 1_000);
    assert.equal(await ask(old.key), 200);
    advance(2_000);
    // Without a read: an expiry holds at once.
    assert.deepEqual([await ask(old.key), await ask(next.key)], [401, 200]);
    await assert.rejects(manager.rotate(old.id), { name: "UnknownKeyError" });
    const last = await manager.rotate(next.id, { overlapMs: 0 });
    assert.deepEqual([await ask(next.key), await ask(last.key)], [401, 200]);
  }));

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

test("a successor expires when the rotation says, and otherwise lives as long as its own line, not another of its caller", () =>
  withClock(async () => {
    const { manager } = open();
    const inDays = (days: number) => new Date(Date.now() + days * 24 * HOUR);
    const { id } = await manager.add({ label: "ci", caller: "shop", expires: inDays(90) });
    await manager.add({ label: "web", caller: "shop", expires: inDays(30) });
    await manager.add({ label: "ci", caller: "other", expires: inDays(10) });
    const days = ({ expires }: { expires: Date | undefined }) => Math.round((+expires! - Date.now()) / HOUR / 24);
    assert.equal(days(await manager.rotate(id)), 90);
    assert.equal(days(await manager.rotate(id, { expires: inDays(5) })), 5);
  }));

test("the successor of a key that was replaced before lives as long as the first successor", () =>
  withClock(async (advance) => {
    const { manager } = open();
    for (const days of [undefined, 90]) {
      const lifetime = days === undefined ? {} : { expires: new Date(Date.now() + days * 24 * HOUR) };
      const { id } = await manager.add({ label: `${days} days`, ...lifetime });
      for (let i = 0; i < 3; i++) {
        advance(1_000);
        const { expires } = await manager.rotate(id);
        assert.equal(expires && Math.round((expires.getTime() - Date.now()) / HOUR / 24), days);
      }
    }
  }));

test("keys that cannot be read yet make a request fail as the store does, and a key that was added is returned", async () => {
  const shared = createMemoryStore().keys;
  let isBroken = true;
  const list = () => isBroken ? Promise.reject(new StoreUnavailableError("broken")) : shared.list();
  const { manager, ask } = open({ onOutage: () => {} }, over(shared, { list }));
  const { key } = await manager.add({ label: "ci" });
  assert.equal(await ask(key), 503);
  isBroken = false;
  assert.equal(await ask(key), 200);
});

test("the other keys of a manager work on a store that has no keys and says so by its version alone", async () => {
  const store = over(createMemoryStore().keys, { listSince: (version) => ({ version }) });
  const { ask } = open({ keys: ["pk_fixed"] }, store);
  assert.deepEqual([await ask("pk_fixed"), await ask("pk_other")], [200, 401]);
});

test("a key with the prefix that was not made here is valid, as its digest and for a verifier too", async () => {
  const store = createMemoryStore().keys;
  const text = "petstore_my_own_key";
  const digest = createHash("sha256").update(text).digest("hex");
  const info = { id: "key-1", label: "mine", caller: "me", readOnly: false, created: new Date() };
  store.add({ ...info, digest, expires: undefined, revoked: undefined, lastUsed: undefined });
  const verify = (key: string | undefined) => key === text;
  for (const keys of [[text], [`sha256:${digest}`], verify, createKeyManager(store)]) {
    assert.equal(await asker(keys)(text), 200);
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
  const ask = asker(manager);
  assert.deepEqual([await ask("pk_of_another"), await ask(added.key), await ask(next.key)], [401, 200, 200]);
});

test("a use is known within a minute, also soon after another one, and a write that fails is repeated after some seconds", () =>
  withClock(async (advance) => {
    const shared = createMemoryStore().keys;
    let isLocked = false, failures = 0;
    const { manager, ask } = open(
      {},
      over(shared, {
        touch(uses) {
          if (isLocked && ++failures) throw new StoreUnavailableError("locked");
          return shared.touch(uses);
        },
      }),
    );
    const { key } = await manager.add({ label: "ci" });
    const isKnown = async (use: number) => ((await shared.list())[0]?.lastUsed?.getTime() ?? 0) >= use;
    const useAfter = async (seconds: number) => {
      advance(1_000 * seconds);
      const at = Date.now();
      await ask(key);
      return at;
    };
    await useAfter(1);
    await manager.flush();
    const soon = await useAfter(30);
    assert.ok(!await isKnown(soon));
    // The server calls this once a minute.
    await manager.flush();
    assert.ok(await isKnown(soon));
    isLocked = true;
    const lost = await useAfter(60);
    await manager.flush();
    // As on a standby, where no write succeeds.
    for (let second = 0; second < 20; second++) {
      await useAfter(1);
      await manager.check();
    }
    assert.equal(failures, 5);
    isLocked = false;
    await useAfter(5);
    await manager.check();
    assert.ok(await isKnown(lost));
  }));

test("a use that is not yet written is not lost when another key is added", async () => {
  const { manager, ask } = open();
  const { key } = await manager.add({ label: "ci" });
  // Writes what there is to write, so that the next use waits for a minute.
  assert.equal(await ask(key), 200);
  await manager.flush();
  const [before] = await manager.list();
  await withClock(async (advance) => {
    advance(1_000);
    assert.equal(await ask(key), 200);
    await manager.add({ label: "another" });
    await manager.flush();
  });
  assert.ok((await manager.list())[0]!.lastUsed! > before!.lastUsed!);
});

test("each server writes a use once a minute at most, and moves none back", () =>
  withClock(async (advance) => {
    const shared = createMemoryStore().keys;
    const writes: string[][] = [];
    const noting = over(shared, {
      touch: (uses) => {
        writes.push(uses.map(({ id }) => id));
        return shared.touch(uses);
      },
    });
    const one = open({}, noting), two = open({}, noting);
    const { id, key } = await one.manager.add({ label: "ci" });
    const unused = await one.manager.add({ label: "unused" });
    for (let second = 0; second < 130; second++) {
      advance(1_000);
      for (const { ask, manager } of [one, two]) {
        assert.equal(await ask(key), 200);
        await manager.check();
      }
    }
    assert.ok(writes.length >= 2 && writes.length <= 6, `${writes.length} writes`);
    assert.ok(writes.every((ids) => ids.join() === id));
    const [used, never] = await one.manager.list();
    assert.ok(Date.now() - used!.lastUsed!.getTime() < 70_000);
    assert.deepEqual([never?.id, never?.lastUsed], [unused.id, undefined]);
    advance(2 * HOUR);
    const later = Date.now();
    await one.ask(key);
    await one.manager.flush();
    assert.ok((await one.manager.list())[0]!.lastUsed!.getTime() >= later - 1);
  }));
