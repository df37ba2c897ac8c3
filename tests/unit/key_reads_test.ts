/**
 * What a key manager does while the store fails, does not answer, or gets keys from another server. key_cache_test.ts has the age of known
 * keys.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyCache } from "../../lib/access/key_cache.ts";
import { createKeyManager } from "../../lib/access/create_key_manager.ts";
import { sleep } from "../../lib/promises.ts";
import { pause } from "../../packages/conformance/lib/store/case.ts";
import { createMemoryStore } from "../../mod.ts";
import { type KeyStore, StoreUnavailableError } from "../../lib/stores/store.ts";
import { askerOf } from "../support/asker.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";
import { withShortTimers, withStoppedClock } from "../support/stopped_clock.ts";

const DOWN = new StoreUnavailableError("The store is down");
const works = () => {}, fails = () => Promise.reject(DOWN), hangs = () => new Promise<never>(() => {});

/** A petstore on one of two servers, whose reads of the keys fail or wait as the test says. */
function createWorld() {
  const { keys } = createMemoryStore();
  const told: unknown[] = [], errors: unknown[] = [];
  const world = {
    /** What each read does first. */
    beforeRead: works as () => unknown,
    /** How many reads have begun. */
    reads: 0,
  };
  const read = async <T>(call: () => T): Promise<Awaited<T>> => {
    world.reads++;
    await world.beforeRead();
    return await call();
  };
  const watched: KeyStore = {
    list: () => read(() => keys.list()),
    listSince: (version) => read(() => keys.listSince!(version)),
    add: (key, replaced) => keys.add(key, replaced),
    revoke: (id, at) => keys.revoke(id, at),
  };
  const manager = createKeyManager(watched, { onOutage: (error) => told.push(error) });
  const ask = askerOf(manager, ({ error }) => errors.push(error));
  // The manager of the other server always reads.
  return Object.assign(world, { manager, other: createKeyManager(keys), ask, told, errors });
}

test("a request fails while no keys could be read yet, and a key that was added meanwhile is valid later", () =>
  withStoppedClock(async (pass) => {
    const world = createWorld(), { manager, other, ask, told, errors } = world;
    world.beforeRead = fails;
    const first = await other.add({ label: "first" });
    assert.deepEqual(await ask(first), [503]);
    const own = await manager.add({ label: "own" });
    await assert.rejects(manager.check(), DOWN);
    world.beforeRead = hangs;
    pass(10_000);
    assert.deepEqual(await withShortTimers(() => ask(first)), [503]);
    const late = new StoreUnavailableError("Reading the API keys takes longer than 10000 ms");
    assert.deepEqual([errors, told], [[DOWN, late], []]);
    world.beforeRead = works;
    pass(10_000);
    assert.deepEqual(await ask(first, own), [200, 200]);
  }));

test("known keys stay valid in an outage, whose start and end are told once, and the keys are read again meanwhile", () =>
  withStoppedClock(async (pass) => {
    const world = createWorld(), { manager, other, ask, told } = world;
    const known = await other.add({ label: "known" });
    await manager.check();
    const next = await other.add({ label: "next" });
    world.beforeRead = fails;
    for (const [milliseconds, reads] of [[400, 2], [399, 2], [1, 3]] as const) {
      pass(milliseconds);
      assert.deepEqual([await ask(known), world.reads], [[200], reads]);
      // The read fails meanwhile.
      await pause();
    }
    assert.deepEqual([await ask(known, next), told], [[200, 401], [DOWN]]);
    world.beforeRead = works;
    // After a pause, the first request waits for the read.
    pass(900);
    assert.deepEqual([await ask(next, known), told], [[200, 200], [DOWN, undefined]]);
  }));

test("any number of unknown keys that come together cause one read, and are refused at once in an outage", () =>
  withStoppedClock(async () => {
    const world = createWorld(), { manager, other, ask, told } = world;
    const known = await other.add({ label: "known" });
    await manager.check();
    const flood = async () => {
      const answers = Array.from({ length: 100 }, (_, i) => ask({ key: `pk_wrong_${i}` }));
      return new Set((await Promise.all(answers)).flat());
    };
    assert.deepEqual([await flood(), world.reads], [new Set([401]), 2]);
    world.beforeRead = hangs;
    const flooded = withShortTimers(flood);
    assert.deepEqual(await ask(known), [200]);
    assert.deepEqual([await flooded, world.reads, told.length], [new Set([401]), 3, 1]);
    assert.deepEqual([await flood(), await ask(known), world.reads], [new Set([401]), [200], 3]);
  }));

test("a key that was added while a read for other unknown keys was under way is accepted", () =>
  withStoppedClock(async () => {
    const world = createWorld(), { manager, other, ask } = world;
    await manager.check();
    const begun = Promise.withResolvers<void>(), end = Promise.withResolvers<void>();
    world.beforeRead = () => (begun.resolve(), end.promise);
    const refused = ask({ key: "pk_wrong" });
    await begun.promise;
    // The snapshot of this read could be older than the key, so it does not count for it.
    const accepted = ask(await other.add({ label: "ci" }));
    world.beforeRead = works;
    end.resolve();
    assert.deepEqual([await refused, await accepted, world.reads], [[401], [200], 3]);
  }));

test("changes of keys delay no request with a wrong key, and wrong keys cause one read in fifty milliseconds beside them", () =>
  withVirtualClock(async ({ now }) => {
    const waits: number[] = [], asked: Promise<void>[] = [];
    let reads = 0, changes = 0;
    const unused = () => assert.fail();
    const cache = new KeyCache({ add: unused, revoke: unused, list: () => (reads++, []) }, [], unused);
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
    assert.equal(waits.length, 300);
    assert.ok(Math.max(...waits) <= 50, `a request waited for ${Math.max(...waits)} ms`);
    assert.ok(reads - changes <= now() / 50, `${reads - changes} reads for wrong keys in ${now()} ms`);
  }));
