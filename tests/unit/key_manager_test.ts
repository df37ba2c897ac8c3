/** Keys that change while the petstore runs. */

import { createKeyManager, type KeyManagerOptions, UnknownKeyError } from "../../lib/access/key_management.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import process from "node:process";
import test from "node:test";
import { crc32 } from "node:zlib";
import { isMistyped, makeKey } from "../../lib/access/key_format.ts";
import { createMemoryStore, createPetstore, type KeyManager, type KeyStore, StoreUnavailableError } from "../../mod.ts";

const HOUR = 3_600_000;

/** A petstore whose keys are kept in memory, and the statuses that keys get. */
function open(options: KeyManagerOptions = {}, store: KeyStore = createMemoryStore().keys) {
  const manager = createKeyManager(store, options);
  const { handle } = createPetstore({ keys: manager, onError: () => {} });
  const ask = async (key: string) => {
    const request = new Request("http://h/v1/pets", { headers: { authorization: `Bearer ${key}` } });
    return (await handle(request)).status;
  };
  return { store, manager, ask };
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

/** A store with some methods replaced. */
function over(store: KeyStore, replaced: Partial<KeyStore>): KeyStore {
  const { list, add, revoke, touch } = store;
  return {
    ...{ list: list.bind(store), add: add.bind(store), revoke: revoke.bind(store), touch: touch.bind(store) },
    ...replaced,
  };
}

/** Runs while every object has further members, as after a bug of another library. */
async function withMembers<T>(members: Record<string, unknown>, run: () => Promise<T>): Promise<T> {
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true, enumerable: true });
  }
  try {
    return await run();
  } finally {
    for (const name of Object.keys(members)) Reflect.deleteProperty(Object.prototype, name);
  }
}

/** Lets everything that has started go on, without a timer. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

test("a key has the prefix, 178 random bits and the CRC-32 of them in base 62", () => {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const seen = new Set<string>();
  for (let i = 0; i < 2_000; i++) {
    const key = makeKey();
    const [, secret = "", check = ""] = /^petstore_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(key) ?? [];
    const value = Array.from(check).reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
    assert.equal(value, crc32(secret), key);
    assert.equal(isMistyped(key), false);
    for (const digit of secret) seen.add(digit);
  }
  assert.equal(seen.size, 62);
});

test("a key with one character wrong, missing, doubled or swapped is mistyped, and a text of another kind is not", () => {
  for (let i = 0; i < 50; i++) {
    const key = makeKey();
    for (let at = 9; at < key.length; at++) {
      const other = key[at] === "x" ? "y" : "x";
      const typos = [key.slice(0, at) + other + key.slice(at + 1), key.slice(0, at) + key.slice(at + 1)];
      typos.push(key.slice(0, at) + key[at] + key.slice(at));
      if (at > 9 && key[at] !== key[at - 1]) {
        typos.push(key.slice(0, at - 1) + key[at] + key[at - 1] + key.slice(at + 1));
      }
      for (const typo of typos) assert.ok(isMistyped(typo), `${key} ${typo}`);
    }
  }
  for (const text of ["", "petstore", "pk_example", makeKey().slice(1)]) assert.equal(isMistyped(text), false, text);
});

test("a key manager refuses a label, an expiry, an option or a store that is wrong", async () => {
  const { manager } = open();
  for (const label of ["", " ", "a\nb", "x".repeat(101)]) {
    await assert.rejects(manager.add({ label }), { name: "RangeError", message: /label/ });
  }
  await assert.rejects(manager.add({ label: undefined as unknown as string }), { name: "TypeError", message: /label/ });
  for (const expires of [new Date(0), new Date(NaN)]) {
    await assert.rejects(manager.add({ label: "ci", expires }), { name: "RangeError", message: /expiry/ });
  }
  const tomorrow = "tomorrow" as unknown as Date;
  await assert.rejects(manager.add({ label: "ci", expires: tomorrow }), { name: "TypeError", message: /expiry/ });
  await assert.rejects(manager.add({ label: "ci", caller: "" }), { name: "TypeError", message: /caller/ });
  await assert.rejects(manager.rotate("key-1", { overlapMs: -1 }), { name: "RangeError", message: /overlapMs/ });
  const endless = { overlapMs: "1d" as unknown as number };
  await assert.rejects(manager.rotate("key-1", endless), { name: "TypeError", message: /overlapMs/ });
  assert.throws(() => createKeyManager({} as KeyStore), { name: "TypeError", message: /KeyStore.*list/ });
  assert.throws(() => createKeyManager(createMemoryStore().keys, { key: [] } as KeyManagerOptions), /option "key"/);
  assert.deepEqual(await manager.list(), []);
});

test("a key works once it is added, is listed without its text or digest, and is refused once it is revoked", async () => {
  const { store, manager, ask } = open();
  assert.equal(await ask(makeKey()), 401);
  const { key, ...info } = await manager.add({ label: "ci" });
  assert.equal(await ask(key), 200);
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

test("the successor of a key that was replaced before lives as long as the first successor", () =>
  withClock(async (advance) => {
    const { manager } = open();
    for (const days of [undefined, 90]) {
      const label = `${days} days`;
      const lifetime = days === undefined ? {} : { expires: new Date(Date.now() + days * 24 * HOUR) };
      const { id } = await manager.add({ label, ...lifetime });
      for (let i = 0; i < 3; i++) {
        advance(1_000);
        const { expires } = await manager.rotate(id);
        assert.equal(expires && Math.round((expires.getTime() - Date.now()) / HOUR / 24), days);
      }
    }
  }));

test("a change by another program holds within a second, after a pause too, and requests under load wait for no read", () =>
  withClock(async (advance) => {
    const shared = createMemoryStore().keys;
    let reads = 0;
    const counted: KeyStore = {
      list: () => {
        reads++;
        return shared.list();
      },
      add: shared.add.bind(shared),
      revoke: shared.revoke.bind(shared),
      touch: shared.touch.bind(shared),
    };
    const { ask } = open({}, counted);
    const other = createKeyManager(shared);
    const { id, key } = await other.add({ label: "ci" });
    assert.equal(await ask(key), 200);
    for (let i = 0; i < 100; i++) await ask(key);
    assert.equal(reads, 1);
    await other.revoke(id);
    // Within the time that a read may be old, the key still works, and the next read begins.
    advance(500);
    assert.equal(await ask(key), 200);
    await settle();
    assert.deepEqual([reads, await ask(key)], [2, 401]);
    const next = await other.add({ label: "next" });
    advance(100 * HOUR);
    // After a pause, the first request waits.
    assert.equal(await ask(next.key), 200);
    await other.revoke(next.id);
    advance(1_000);
    assert.equal(await ask(next.key), 401);
  }));

test("while the keys cannot be read the last ones stay valid, one outage is reported, and then its end", () =>
  withClock(async (advance) => {
    const shared = createMemoryStore().keys;
    let failure: Error | undefined;
    const failing: KeyStore = {
      list: () => {
        if (failure) throw failure;
        return shared.list();
      },
      add: shared.add.bind(shared),
      revoke: shared.revoke.bind(shared),
      touch: shared.touch.bind(shared),
    };
    const told: unknown[] = [];
    const { ask } = open({ onOutage: (error) => told.push(error) }, failing);
    const other = createKeyManager(shared);
    const { id, key } = await other.add({ label: "ci" });
    failure = new StoreUnavailableError("broken");
    // Without any keys yet, a request fails as if the store did.
    assert.equal(await ask(key), 503);
    failure = undefined;
    assert.equal(await ask(key), 200);
    failure = new StoreUnavailableError("broken");
    await other.revoke(id);
    for (let i = 0; i < 5; i++) {
      advance(2_000);
      assert.equal(await ask(key), 200);
      await settle();
    }
    assert.deepEqual(told, [failure]);
    failure = undefined;
    advance(2_000);
    await ask(key);
    await settle();
    assert.equal(await ask(key), 401);
    assert.deepEqual(told.slice(1), [undefined]);
  }));

test("a read that never ends keeps requests for a second once, and the last keys valid", () =>
  withClock(async (advance) => {
    const shared = createMemoryStore().keys;
    let isHanging = false;
    const hanging: KeyStore = {
      list: () => isHanging ? new Promise(() => {}) : shared.list(),
      add: shared.add.bind(shared),
      revoke: shared.revoke.bind(shared),
      touch: shared.touch.bind(shared),
    };
    const told: unknown[] = [];
    const { ask } = open({ onOutage: (error) => told.push(error) }, hanging);
    const { key } = await createKeyManager(shared).add({ label: "ci" });
    assert.equal(await ask(key), 200);
    isHanging = true;
    advance(5_000);
    assert.equal(await ask(key), 200);
    assert.match(String(told), /longer than 1000 ms/);
    let turns = 0;
    const counting = (async () => {
      for (; turns < 1000; turns++) await new Promise((resolve) => setImmediate(resolve));
    })();
    assert.equal(await ask(key), 200);
    assert.ok(turns < 1000, "the second request waited");
    await counting;
    assert.equal(told.length, 1);
  }));

test("after a pause in an outage, the first request waits, because the outage may be over", () =>
  withClock(async (advance) => {
    const shared = createMemoryStore().keys;
    let isBroken = false;
    const { ask } = open(
      { onOutage: () => {} },
      over(shared, {
        list: () => isBroken ? Promise.reject(new StoreUnavailableError("broken")) : shared.list(),
      }),
    );
    const other = createKeyManager(shared);
    const { id, key } = await other.add({ label: "ci" });
    assert.equal(await ask(key), 200);
    isBroken = true;
    advance(2_000);
    assert.equal(await ask(key), 200);
    isBroken = false;
    await other.revoke(id);
    advance(HOUR);
    assert.equal(await ask(key), 401);
  }));

test("a read that never ends is given up, and its late result replaces no newer one", () =>
  withClock(async (advance) => {
    const shared = createMemoryStore().keys;
    const late: (() => void)[] = [];
    let isHanging = false;
    const { ask } = open(
      { onOutage: () => {} },
      over(shared, {
        list: () => {
          const now = shared.list();
          return isHanging ? new Promise((resolve) => late.push(() => resolve(now))) : now;
        },
      }),
    );
    const other = createKeyManager(shared);
    const { id, key } = await other.add({ label: "ci" });
    assert.equal(await ask(key), 200);
    isHanging = true;
    advance(500);
    assert.equal(await ask(key), 200);
    isHanging = false;
    await other.revoke(id);
    advance(11_000);
    assert.equal(await ask(key), 401);
    assert.equal(late.length, 1);
    late[0]!();
    await settle();
    assert.equal(await ask(key), 401);
  }));

test("an onOutage that throws or rejects changes no response, and does not end the process", () =>
  withClock(async (advance) => {
    const failures = [
      () => {
        throw new Error("in onOutage");
      },
      () => Promise.reject(new Error("in onOutage")),
    ];
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      for (const onOutage of failures) {
        const shared = createMemoryStore().keys;
        let isBroken = false;
        const { ask, manager } = open(
          { onOutage },
          over(shared, {
            list: () => isBroken ? Promise.reject(new StoreUnavailableError("broken")) : shared.list(),
          }),
        );
        const { id, key } = await manager.add({ label: "ci" });
        for (const next of [true, false]) {
          isBroken = next;
          advance(2_000);
          assert.equal(await ask(key), 200);
          await settle();
        }
        await manager.revoke(id);
        assert.equal(await ask(key), 401);
      }
      assert.deepEqual(unhandled, []);
    } finally {
      process.off("unhandledRejection", note);
    }
  }));

test("a key that was added is returned although the keys cannot be read at that moment", async () => {
  const shared = createMemoryStore().keys;
  let isBroken = true;
  const { manager, ask } = open(
    { onOutage: () => {} },
    over(shared, {
      list: () => isBroken ? Promise.reject(new StoreUnavailableError("broken")) : shared.list(),
    }),
  );
  const { key } = await manager.add({ label: "ci" });
  isBroken = false;
  assert.equal(await ask(key), 200);
});

test("an expiry that is no valid date counts as over, and an overlap without end is refused", async () => {
  const shared = createMemoryStore().keys;
  const { manager, ask } = open(
    {},
    over(shared, {
      list: async () => (await shared.list()).map((key) => ({ ...key, expires: new Date(NaN) })),
    }),
  );
  const { id, key } = await manager.add({ label: "ci" });
  assert.equal(await ask(key), 401);
  const other = createKeyManager(shared);
  await assert.rejects(other.rotate(id, { overlapMs: Infinity }), { name: "RangeError", message: /overlapMs/ });
  assert.equal((await other.list())[0]!.expires, undefined);
});

test("a key with the prefix that was not made here is valid, as its digest too", async () => {
  const store = createMemoryStore().keys;
  const text = "petstore_my_own_key";
  const digest = createHash("sha256").update(text).digest("hex");
  for (const keys of [[text], [`sha256:${digest}`]]) {
    const { handle } = createPetstore({ keys });
    const request = new Request("http://h/v1/pets", { headers: { authorization: `Bearer ${text}` } });
    assert.equal((await handle(request)).status, 200);
  }
  const info = { id: "key-1", label: "mine", caller: "me", readOnly: false, created: new Date() };
  store.add({ ...info, digest, expires: undefined, revoked: undefined, lastUsed: undefined });
  assert.equal(await open({}, store).ask(text), 200);
});

test("members that every object inherits are no options of a manager, and no rights of a key", async () => {
  const polluted = { keys: ["pk_of_another"], caller: "another", readOnly: true, overlapMs: 0, expires: new Date(NaN) };
  const { manager, added, next } = await withMembers(polluted, async () => {
    const manager = createKeyManager(createMemoryStore().keys);
    const added = await manager.add({ label: "ci" });
    return { manager, added, next: await manager.rotate(added.id) };
  });
  assert.deepEqual([added.caller, added.readOnly, added.expires, next.caller], [added.id, false, undefined, added.id]);
  const { handle } = createPetstore({ keys: manager });
  const ask = async (key: string) =>
    (await handle(new Request("http://h/v1/pets", { headers: { authorization: `Bearer ${key}` } }))).status;
  assert.deepEqual([await ask("pk_of_another"), await ask(added.key), await ask(next.key)], [401, 200, 200]);
});

test("a use is written once a minute at most, is never moved back, and costs no second write for other servers", () =>
  withClock(async (advance) => {
    const shared = createMemoryStore().keys;
    const writes: string[][] = [];
    const noting: KeyStore = {
      list: () => shared.list(),
      add: shared.add.bind(shared),
      revoke: shared.revoke.bind(shared),
      touch: (uses) => {
        writes.push(uses.map(({ id }) => id));
        return shared.touch(uses);
      },
    };
    const one = open({}, noting), two = open({}, noting);
    const { id, key } = await one.manager.add({ label: "ci" });
    const unused = await one.manager.add({ label: "unused" });
    const step = async () => {
      for (const { ask } of [one, two]) {
        assert.equal(await ask(key), 200);
        await settle();
      }
    };
    for (let second = 0; second < 130; second++) {
      advance(1_000);
      await step();
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

test("further keys are valid beside those of the store, also while the store has none", async () => {
  const { manager, ask } = open({ keys: ["pk_fixed"] });
  assert.equal(await ask("pk_fixed"), 200);
  const { key } = await manager.add({ label: "ci" });
  assert.deepEqual([await ask("pk_fixed"), await ask(key), await ask("pk_other")], [200, 200, 401]);
});

test("many requests at once, while keys come and go, never find a moment without keys", async () => {
  const { manager, ask } = open();
  const { key } = await manager.add({ label: "stays" });
  const changes = (async () => {
    for (let i = 0; i < 30; i++) {
      const { id } = await manager.add({ label: `n${i}` });
      await manager.rotate(id, { overlapMs: i });
      await manager.revoke(id);
      // A turn of the event loop for the requests.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return "done";
  })();
  let isDone = false;
  changes.then(() => isDone = true);
  let asked = 0;
  while (!isDone) {
    assert.deepEqual(await Promise.all(Array.from({ length: 20 }, () => ask(key))), Array(20).fill(200));
    asked += 20;
    // Requests with a known key need no turn of the event loop, but the changes do.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await changes;
  assert.ok(asked > 20);
});

test("a verifier's own keys are not checked for a checksum", async () => {
  const { handle } = createPetstore({ keys: (key) => key === "petstore_mine" });
  const request = new Request("http://h/v1/pets", { headers: { authorization: "Bearer petstore_mine" } });
  assert.equal((await handle(request)).status, 200);
});

test("a key manager is one option keys for several petstores", async () => {
  const keys: KeyManager = createKeyManager(createMemoryStore().keys);
  const [one, two] = [createPetstore({ keys }), createPetstore({ keys, basePath: "/two" })];
  const { key } = await keys.add({ label: "both" });
  const headers = { authorization: `Bearer ${key}` };
  assert.equal((await one.handle(new Request("http://h/v1/pets", { headers }))).status, 200);
  assert.equal((await two.handle(new Request("http://h/two/pets", { headers }))).status, 200);
});
