/**
 * Which keys a petstore knows while its store fails, does not answer, or gets keys from another server: first in any order of events, then
 * what a client sees.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KeyCache, type OutageListeners } from "../../lib/access/key_cache.ts";
import { createKeyManager } from "../../lib/access/create_key_manager.ts";
import { digestOf } from "../../lib/access/key_digest.ts";
import type { KeyRing } from "../../lib/access/key_ring.ts";
import { isPromise, sleep } from "../../lib/promises.ts";
import { type KeyStore, StoreUnavailableError } from "../../lib/stores/store.ts";
import { createMemoryStore } from "../../mod.ts";
import { keyOf } from "../../packages/conformance/lib/store/keys.ts";
import { askerOf } from "../support/asker.ts";
import { withScheduledTimers } from "../support/scheduled_timers.ts";
import { withShortTimers, withStoppedClock } from "../support/stopped_clock.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

const KEY = "pk_test";
const DIGEST = await digestOf(KEY);

/** As `key_cache.ts` and `key_reads.ts` have it, in milliseconds: what is known may be so old without a wait, and a read ends or is given up. */
const FRESH = 900, GIVE_UP = 10_000;

const never = () => assert.fail();
const UNUSED = { add: never, revoke: never };

type Mode = "works" | "fails" | "hangs";
type Step = "ask" | "change" | "renew" | Mode | number;

const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant("ask" as const) },
  { weight: 4, arbitrary: fc.constantFrom(100, 450, 950, GIVE_UP + 1) },
  { weight: 4, arbitrary: fc.constantFrom<Step>("change", "renew") },
  { weight: 3, arbitrary: fc.constantFrom<Step>("works", "fails", "hangs") },
);

function tellTo(told: unknown[]): OutageListeners {
  return { onOutage: (error) => told.push(error), onRecovery: () => told.push(undefined) };
}

/** A cache over a store whose keys have a version, which the caller of the one key names. */
class World {
  readonly #cache: KeyCache;
  #mode: Mode = "works";
  #version = 0;
  /** The least version that a request may see from now on. */
  #least = 0;
  /** The reads that have succeeded. */
  readonly #reads: { version: number; begunAt: number }[] = [];
  /** The latest version that a request has seen. */
  #seen = 0;
  /** The error of each outage that was told, and `undefined` for each end of one. */
  readonly told: unknown[] = [];
  /** They are made at the end, because an assertion within the scheduler would be lost. */
  readonly checks: (() => unknown)[] = [];
  now = 0;

  constructor(scheduler: fc.Scheduler) {
    const list: KeyStore["list"] = async () => {
      const version = this.#version, begunAt = this.now, mode = this.#mode;
      if (mode === "hangs") return await new Promise(() => {});
      await scheduler.schedule(Promise.resolve(), `read ${version} ${mode}`);
      if (mode === "fails") throw new Error("broken");
      this.#reads.push({ version, begunAt });
      return [keyOf("ci", { digest: DIGEST, caller: `${version}` })];
    };
    this.#cache = new KeyCache({ ...UNUSED, list }, [], tellTo(this.told));
  }

  async run(step: Step): Promise<void> {
    if (typeof step === "number") this.now += step;
    else if (step === "change") this.#version++;
    else if (step === "renew") this.#renew(++this.#version);
    else if (step === "ask") this.#ask();
    else this.#mode = step;
    await Promise.resolve();
  }

  #renew(version: number): void {
    this.#cache.renew().then(() => this.#least = Math.max(this.#least, version), () => {});
  }

  #ask(): void {
    const fresh = this.#reads.filter(({ begunAt }) => begunAt > this.now - FRESH).map(({ version }) => version);
    const least = this.#least, wasKnown = this.#reads.length > 0, isOutage = this.told.at(-1) !== undefined;
    const see = (ring: KeyRing, allowed?: number[]) =>
      this.checks.push(async () => {
        const version = Number((await ring.find(KEY))?.caller.id);
        assert.ok(version >= least, `version ${version} after ${least} was complete`);
        assert.ok(version >= this.#seen, `version ${version} after ${this.#seen} was seen`);
        this.#seen = version;
        assert.ok(allowed?.includes(version) ?? true, "old keys without a wait");
      });
    const ring = this.#cache.current(this.now);
    if (!isPromise(ring)) return void see(ring, isOutage ? undefined : fresh);
    this.checks.push(() => assert.equal(fresh.length, 0, "a wait although the keys are fresh"));
    ring.then((ring) => see(ring), () => this.checks.push(() => assert.ok(!wasKnown, "a moment without keys")));
  }
}

test("whatever the order of reads, changes and requests, no request sees older keys, waits for long or finds none", () =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(STEP, { minLength: 5, maxLength: 30 }), async (scheduler, steps) => {
      const { now } = performance;
      const world = new World(scheduler);
      performance.now = () => world.now;
      const then = async (more: Step[]) => {
        scheduler.scheduleSequence(more.map((step) => ({ label: `${step}`, builder: () => world.run(step) })));
        await scheduler.waitIdle();
      };
      // The patience of a request ends in any order with the reads.
      await withScheduledTimers(scheduler, () => true, async () => {
        await then(steps);
        // Whatever has happened, a store that works is read again.
        await then(["works", GIVE_UP + 1, "ask", 500, "change"]);
        await then([1_000, "ask"]);
      }).finally(() => performance.now = now);
      for (const check of world.checks) await check();
      assert.equal(world.told.at(-1), undefined, "the end of the outage");
      world.told.forEach((error, i) => assert.equal(error === undefined, i % 2 === 1, "one report for each outage"));
    }),
    // Node's test runner follows every promise, which takes twenty times as long.
    { numRuns: "Deno" in globalThis ? 1_500 : 200 },
  ));

const DOWN = new StoreUnavailableError("The store is down");
const works = () => {}, fails = () => Promise.reject(DOWN), hangs = () => new Promise<never>(() => {});

/** A petstore on one of two servers, whose reads of the keys fail or wait as the test says. */
function createServer() {
  const { keys } = createMemoryStore();
  const told: unknown[] = [];
  const server = {
    /** What each read does first. */
    beforeRead: works as () => unknown,
    /** How many reads have begun. */
    reads: 0,
    /** How many keys the reads have got. */
    keysRead: 0,
  };
  const watched: KeyStore = {
    list: never,
    async listSince(version) {
      server.reads++;
      await server.beforeRead();
      const snapshot = await keys.listSince!(version);
      server.keysRead += snapshot.keys?.length ?? 0;
      return snapshot;
    },
    add: (key, replaced) => keys.add(key, replaced),
    revoke: (id, at) => keys.revoke(id, at),
  };
  const manager = createKeyManager(watched, tellTo(told));
  // The manager of the other server always reads.
  return Object.assign(server, { manager, other: createKeyManager(keys), ask: askerOf(manager), told });
}

test("keys that have not changed are not read again", async () => {
  const server = createServer(), { manager, other } = server;
  await other.add({ label: "one" });
  for (let i = 0; i < 3; i++) await manager.check();
  assert.deepEqual([server.reads, server.keysRead], [3, 1]);
});

test("a request fails while no keys could be read yet, and a key that was added meanwhile is valid later", () =>
  withStoppedClock(async (pass) => {
    const server = createServer(), { manager, other, ask } = server;
    const first = await other.add({ label: "first" });
    server.beforeRead = fails;
    assert.deepEqual(await ask(first), [503]);
    const own = await manager.add({ label: "own" });
    await assert.rejects(manager.check(), DOWN);
    server.beforeRead = hangs;
    assert.deepEqual(await withShortTimers(() => ask(first)), [503]);
    server.beforeRead = works;
    pass(GIVE_UP);
    assert.deepEqual([await ask(first, own), server.told], [[200, 200], []]);
  }));

test("a read that hangs begins no outage if another one has succeeded meanwhile", () =>
  withStoppedClock(() =>
    withShortTimers(async () => {
      const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
      const reads: KeyStore["list"][] = [() => (begin(), hangs())];
      const find = () => Promise.resolve([keyOf("ci", { digest: DIGEST, caller: "ci" })]);
      const told: unknown[] = [];
      const list = () => (reads.shift() ?? find)();
      const cache = new KeyCache({ ...UNUSED, list }, [], tellTo(told));
      const ring = cache.current(performance.now());
      await hasBegun;
      // A change of the keys by this server reads them at once.
      await cache.renew();
      assert.equal((await (await ring).find(KEY))?.caller.id, "ci");
      assert.deepEqual(told, []);
    })
  ));

test("in an outage, known keys stay valid, unknown ones are refused without a read, and the keys are read again later", () =>
  withStoppedClock(async (pass) => {
    for (const outage of [fails, hangs]) {
      const server = createServer(), { manager, other, ask, told } = server;
      const known = await other.add({ label: "known" });
      await manager.check();
      const next = await other.add({ label: "next" });
      server.beforeRead = outage;
      // The first unknown key finds out that there is an outage.
      assert.deepEqual(await withShortTimers(() => ask(next, known, next, next)), [401, 200, 401, 401]);
      assert.deepEqual([server.reads, told.length], [2, 1]);
      server.beforeRead = works;
      // After a pause, the first request waits for a read.
      pass(GIVE_UP);
      assert.deepEqual([await ask(next, known), told.slice(1)], [[200, 200], [undefined]]);
    }
  }));

test("any number of unknown keys share a read that began after their requests, so a key that was just added is accepted", () =>
  withStoppedClock(async () => {
    const server = createServer(), { manager, other, ask } = server;
    await manager.check();
    const begun = Promise.withResolvers<void>(), end = Promise.withResolvers<void>();
    server.beforeRead = () => (begun.resolve(), end.promise);
    const early = ask({ key: "pk_early" });
    await begun.promise;
    // The snapshot of the read that is under way could be older than the key.
    const added = await other.add({ label: "ci" });
    const late = Array.from({ length: 100 }, (_, i) => ask(i === 50 ? added : { key: `pk_wrong_${i}` }));
    server.beforeRead = works;
    end.resolve();
    assert.deepEqual([await early, server.reads], [[401], 2]);
    assert.deepEqual((await Promise.all(late)).flat(), Array(100).fill(401).with(50, 200));
    assert.equal(server.reads, 3);
  }));

test("the requests that come before keys are known share the first read, whether it has begun or not", () =>
  withStoppedClock(async () => {
    const server = createServer(), { other, ask } = server;
    const added = await other.add({ label: "ci" });
    const begun = Promise.withResolvers<void>(), end = Promise.withResolvers<void>();
    server.beforeRead = () => (begun.resolve(), end.promise);
    const early = ask({ key: "pk_wrong" });
    await begun.promise;
    const late = ask(added);
    end.resolve();
    assert.deepEqual([await early, await late, server.reads], [[401], [200], 1]);
  }));

/** A cache over a store that answers after a while of virtual time, or fails then. `flood` sends a request every ten milliseconds. */
function createSlowStore(now: () => number) {
  const store = { reads: 0, readTime: 20, isDown: false };
  const list = async () => (store.reads++, await sleep(store.readTime), store.isDown ? fails() : []);
  const cache = new KeyCache({ ...UNUSED, list }, [], tellTo([]));

  /** The result is how many reads have begun, and the longest wait of a request in milliseconds. */
  async function flood(end: number, ask: () => unknown): Promise<{ reads: number; wait: number }> {
    const asked: Promise<number>[] = [], readsBefore = store.reads;
    for (; now() < end; await sleep(10)) {
      const begunAt = now();
      asked.push(Promise.resolve(ask()).then(() => now() - begunAt));
    }
    return { wait: Math.max(...await Promise.all(asked)), reads: store.reads - readsBefore };
  }

  return { store, cache, flood };
}

test("wrong keys cause one read in fifty milliseconds, also if reads are slow, and keys that are known wait for a second at most", () =>
  withVirtualClock(async ({ now }) => {
    const { store, cache, flood } = createSlowStore(now);
    await cache.renew();
    const { reads, wait } = await flood(3_000, () => cache.find("pk_wrong", now()));
    assert.ok(reads <= 65 && wait <= 100, `${reads} reads, a wait of ${wait} ms`);
    store.readTime = 60_000;
    assert.deepEqual(await flood(7_000, () => cache.current(now())), { reads: 1, wait: 1_000 });
    // Now the outage is known, and the read goes on.
    assert.deepEqual(await flood(9_000, () => cache.current(now())), { reads: 0, wait: 0 });
  }));

test("known keys cost no wait and a read every 400 milliseconds, also while the store fails", () =>
  withVirtualClock(async ({ now }) => {
    const { store, cache, flood } = createSlowStore(now);
    await cache.renew();
    assert.deepEqual(await flood(4_000, () => cache.current(now())), { reads: 9, wait: 0 });
    store.isDown = true;
    assert.deepEqual(await flood(8_000, () => cache.current(now())), { reads: 10, wait: 0 });
  }));

test("while no keys are known, a request waits for them for up to ten seconds", () =>
  withVirtualClock(async ({ now }) => {
    const { store, cache } = createSlowStore(now);
    store.readTime = GIVE_UP + 1;
    await assert.rejects(async () => await cache.current(now()), StoreUnavailableError);
    assert.equal(now(), GIVE_UP);
    store.readTime = GIVE_UP - 1;
    await cache.current(now());
  }));

test("a read that fails after a later one has succeeded is no outage, and the next read begins as usual", () =>
  withStoppedClock(async (pass) => {
    const first = Promise.withResolvers<[]>(), told: unknown[] = [];
    const lists = [() => first.promise, () => [], () => []];
    const cache = new KeyCache({ ...UNUSED, list: () => lists.shift()!() }, [], tellTo(told));
    const failing = assert.rejects(cache.renew(), DOWN);
    await cache.renew();
    first.reject(DOWN);
    await failing;
    pass(500);
    cache.current(performance.now());
    assert.deepEqual([told, lists], [[], []]);
  }));
