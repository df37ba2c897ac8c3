/**
 * What a key manager does while the store fails, does not answer, or gets keys from another server. key_cache_test.ts has the age of known
 * keys, on stores with versions and without.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyCache } from "../../lib/access/key_cache.ts";
import { createKeyManager, type KeyManager } from "../../lib/access/create_key_manager.ts";
import { sleep } from "../../lib/promises.ts";
import { pause } from "../../packages/conformance/lib/store/case.ts";
import { createMemoryStore } from "../../mod.ts";
import { type KeyStore, type MaybePromise, StoreUnavailableError } from "../../lib/stores/store.ts";
import { type Ask, askerOf } from "../support/asker.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";
import { whileReplaced } from "../support/while_replaced.ts";
import { withShortTimers, withStoppedClock } from "../support/stopped_clock.ts";

/** A petstore on one of two servers. The reads of its keys fail or wait as the test says. Time passes only as the test says. */
interface World {
  keys: KeyStore;
  manager: KeyManager;
  /** The manager of the other server, which always reads. */
  other: KeyManager;
  ask: Ask;
  /** What each call does first. */
  before: { read(): unknown };
  /** How many reads have begun. */
  reads: number;
  /** What `onOutage` was told. */
  told: unknown[];
  /** What `onError` was told. */
  errors: unknown[];
  pass(milliseconds: number): void;
}

function works(): void {}

async function withWorld(run: (world: World) => Promise<void>): Promise<void> {
  const { keys } = createMemoryStore();
  const read = async <T>(call: () => MaybePromise<T>): Promise<T> => {
    world.reads++;
    await world.before.read();
    return await call();
  };
  const watched: KeyStore = {
    list: () => read(() => keys.list()),
    listSince: (version) => read(() => keys.listSince!(version)),
    add: (key, replaced) => keys.add(key, replaced),
    revoke: (id, at) => keys.revoke(id, at),
  };
  const told: unknown[] = [], errors: unknown[] = [];
  const manager = createKeyManager(watched, { onOutage: (error) => told.push(error) });
  const ask = askerOf(manager, ({ error }) => errors.push(error));
  const before = { read: works };
  const other = createKeyManager(keys);
  const world: World = { keys, manager, other, ask, before, reads: 0, told, errors, pass: () => {} };
  await withStoppedClock(async (pass) => await run(Object.assign(world, { pass })));
}

const NO_CHANGES = { add: () => assert.fail(), revoke: () => assert.fail() };

const DOWN = new StoreUnavailableError("The store is down");

function fails(): Promise<never> {
  return Promise.reject(DOWN);
}

function hangs(): Promise<never> {
  return new Promise(() => {});
}

const RUNS: Record<string, (world: World) => Promise<void>> = {
  async "fails a request while no keys could be read yet, and returns a key that was added"(world) {
    const { manager, other, ask, before, told, errors } = world;
    before.read = fails;
    const first = await other.add({ label: "first" });
    assert.deepEqual(await ask(first), [503]);
    const own = await manager.add({ label: "own" });
    await assert.rejects(manager.check(), DOWN);
    before.read = hangs;
    world.pass(10_000);
    assert.deepEqual(await withShortTimers(() => ask(first)), [503]);
    const late = new StoreUnavailableError("Reading the API keys takes longer than 10000 ms");
    assert.deepEqual([errors, told], [[DOWN, late], []]);
    before.read = works;
    world.pass(10_000);
    assert.deepEqual(await ask(first, own), [200, 200]);
  },
  async "refuses a key at once that was replaced without an overlap, and accepts its successor"(world) {
    const { manager, ask } = world;
    const old = await manager.add({ label: "ci" });
    assert.deepEqual(await ask(old), [200]);
    const next = await manager.rotate(old.id, { overlapMs: 0 });
    assert.deepEqual(await ask(old, next), [401, 200]);
  },
  async "accepts a key that was added while a read for other unknown keys was under way"(world) {
    const { manager, other, ask, before } = world;
    await manager.check();
    const { promise, resolve } = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    before.read = () => {
      read.resolve();
      return promise;
    };
    const refused = ask({ key: "pk_wrong" });
    await read.promise;
    // The snapshot of this read could be older than the key, so it does not count for it.
    const added = await other.add({ label: "ci" });
    const accepted = ask(added);
    before.read = works;
    resolve();
    assert.deepEqual([await refused, await accepted, world.reads], [[401], [200], 3]);
  },
  async "reads the keys once for any number of unknown ones that come together, and refuses them at once in an outage"(
    world,
  ) {
    const { manager, other, ask, before, told } = world;
    const known = await other.add({ label: "known" });
    await manager.check();
    const flood = async () => {
      const answers = Array.from({ length: 100 }, (_, i) => ask({ key: `pk_wrong_${i}` }));
      return new Set((await Promise.all(answers)).flat());
    };
    assert.deepEqual([await flood(), world.reads], [new Set([401]), 2]);
    before.read = hangs;
    const flooded = withShortTimers(flood);
    assert.deepEqual(await ask(known), [200]);
    assert.deepEqual([await flooded, world.reads, told.length], [new Set([401]), 3, 1]);
    // A wait would need a timer.
    let timers = 0;
    const { setTimeout } = globalThis;
    const counted = (run: () => void) => (timers++, setTimeout(run, 0));
    const answers = await whileReplaced(
      globalThis,
      { setTimeout: counted as never },
      async () => [await flood(), await ask(known)],
    );
    assert.deepEqual([...answers, world.reads, timers], [new Set([401]), [200], 3, 0]);
  },
  async "looks for unknown keys again after a read for them that has never ended"(world) {
    const { manager, other, ask, before, told } = world;
    const known = await other.add({ label: "known" });
    await manager.check();
    before.read = hangs;
    world.pass(400);
    // This begins a read, and the next request waits for that and for another one.
    assert.deepEqual(await ask(known), [200]);
    assert.deepEqual(await withShortTimers(() => ask({ key: "pk_wrong" })), [401]);
    before.read = works;
    world.pass(10_000);
    assert.deepEqual(await ask(known), [200]);
    await manager.check();
    assert.equal(told.at(-1), undefined);
    const added = await other.add({ label: "ci" });
    assert.deepEqual(await ask(added), [200]);
  },
  async "keeps known keys valid in an outage, tells its start and its end once, and tries again meanwhile"(world) {
    const { manager, other, ask, before, told } = world;
    const known = await other.add({ label: "known" });
    await manager.check();
    const next = await other.add({ label: "next" });
    before.read = fails;
    for (const [milliseconds, reads] of [[400, 2], [399, 2], [1, 3]] as const) {
      world.pass(milliseconds);
      assert.deepEqual([await ask(known), world.reads], [[200], reads]);
      // The read fails meanwhile.
      await pause();
    }
    await assert.rejects(manager.check(), DOWN);
    assert.deepEqual([await ask(known, next), told], [[200, 401], [DOWN]]);
    before.read = works;
    // After a pause, the first request waits for the read.
    world.pass(900);
    assert.deepEqual([await ask(next, known), told], [[200, 200], [DOWN, undefined]]);
  },
};

for (const [name, run] of Object.entries(RUNS)) test(`a key manager ${name}`, () => withWorld(run));

test("changes of keys delay no request with a wrong key, and wrong keys cause one read in fifty milliseconds beside them", () =>
  withVirtualClock(async ({ now }) => {
    const told: unknown[] = [], waits: number[] = [], asked: Promise<void>[] = [];
    let reads = 0, changes = 0;
    const cache = new KeyCache({ ...NO_CHANGES, list: () => (reads++, []) }, [], (error) => told.push(error));
    const ask = async () => {
      const askedAt = now();
      assert.equal(await cache.find("pk_wrong", askedAt), undefined);
      waits.push(now() - askedAt);
    };
    for (; now() < 3_000; await sleep(10)) {
      // The changes come so often that the interval since the latest read never passes.
      if (now() % 30 === 0) await cache.renew().then(() => changes++);
      asked.push(ask());
    }
    await Promise.all(asked);
    assert.deepEqual([waits.length, told], [300, []]);
    assert.ok(Math.max(...waits) <= 50, `a request waited for ${Math.max(...waits)} ms`);
    assert.ok(reads - changes <= now() / 50, `${reads - changes} reads for wrong keys in ${now()} ms`);
  }));

test("on a slow store, the reads that wrong keys cause follow each other", () =>
  withVirtualClock(async ({ now }) => {
    let underWay = 0, most = 0, reads = 0;
    const list = async () => {
      most = Math.max(most, ++underWay);
      await sleep(200);
      underWay--;
      reads++;
      return [];
    };
    const cache = new KeyCache({ ...NO_CHANGES, list }, [], () => assert.fail());
    const asked: unknown[] = [];
    for (; now() < 2_000; await sleep(10)) asked.push(cache.find("pk_wrong", now()));
    await Promise.all(asked);
    assert.equal(most, 1);
    assert.ok(reads >= 9, `${reads} reads in ${now()} ms`);
  }));
