/** The order of events in a key cache: reads that end late, fail or never end, changes, and requests meanwhile. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KeyCache } from "../../lib/access/key_cache.ts";
import { digestOf } from "../../lib/access/key_digest.ts";
import type { KeyRing } from "../../lib/access/key_ring.ts";
import { isPromise } from "../../lib/promises.ts";
import type { KeyStore, StoredKey } from "../../lib/stores/key_store.ts";
import { createMemoryStore } from "../../lib/stores/memory/memory_store.ts";
import { keyOf } from "../../packages/conformance/lib/store/keys.ts";
import { withScheduledTimers } from "../support/scheduled_timers.ts";
import { withStoppedClock } from "../support/stopped_clock.ts";

const KEY = "pk_test";
const DIGEST = await digestOf(KEY);

/** As `key_cache.ts` has it, in milliseconds: what is known may be so old without a wait, and a read ends or is given up. */
const FRESH = 900, GIVE_UP = 10_000;

const never = () => assert.fail();
const UNUSED = { add: never, revoke: never };

type Step = "ask" | "change" | "renew" | "works" | "fails" | "hangs" | number;

const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant("ask" as const) },
  { weight: 4, arbitrary: fc.constantFrom(100, 450, 950, GIVE_UP + 1) },
  { weight: 4, arbitrary: fc.constantFrom<Step>("change", "renew") },
  { weight: 3, arbitrary: fc.constantFrom<Step>("works", "fails", "hangs") },
);

const STEPS = fc.array(STEP, { minLength: 5, maxLength: 30 });

/** A cache over a store whose keys have a version, which the caller of the one key names. */
class World {
  readonly #scheduler: fc.Scheduler;
  readonly #cache: KeyCache;
  readonly #versions = new Map<KeyRing, number>();
  #mode: Step = "works";
  #version = 0;
  /** The least version that a request may see from now on. */
  #least = 0;
  #isKnown = false;
  /** The reads that have succeeded. */
  readonly #reads: { version: number; begunAt: number }[] = [];
  /** The latest version that a request has seen. */
  #seen = 0;
  /** The latest read while it has not ended, and when it ended. */
  #underWay: { begunAt: number } | undefined;
  #endedAt = -Infinity;
  readonly told: unknown[] = [];
  readonly checks: (() => Promise<void>)[] = [];
  now = 0;

  /** @param hasVersions Whether the store tells that nothing has changed. */
  constructor(scheduler: fc.Scheduler, hasVersions: boolean) {
    this.#scheduler = scheduler;
    const store: KeyStore = { ...UNUSED, list: () => this.#read() };
    if (hasVersions) {
      store.list = never;
      store.listSince = async (last) => {
        const keys = await this.#read();
        const version = keys[0]!.caller;
        return version === last ? { version } : { version, keys };
      };
    }
    this.#cache = new KeyCache(store, [], (error) => {
      this.told.push(error);
      throw new Error("An onOutage that throws changes nothing");
    });
  }

  async #read(): Promise<Awaited<ReturnType<KeyStore["list"]>>> {
    const [version, begunAt, mode] = [this.#version, this.now, this.#mode];
    const read = this.#underWay = { begunAt };
    if (mode === "hangs") return await new Promise(() => {});
    await this.#scheduler.schedule(Promise.resolve(), `read ${version} ${mode}`);
    if (this.#underWay === read) [this.#underWay, this.#endedAt] = [undefined, this.now];
    if (mode === "fails") throw new Error("broken");
    this.#isKnown = true;
    this.#reads.push({ version, begunAt });
    return [keyOf("ci", { digest: DIGEST, caller: `${version}` })];
  }

  async versionOf(ring: KeyRing): Promise<number> {
    const version = this.#versions.get(ring) ?? Number((await ring.find(KEY))?.caller.id);
    this.#versions.set(ring, version);
    return version;
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
    const [least, wasKnown, reads] = [this.#least, this.#isKnown, [...this.#reads]];
    const isReading = this.#underWay !== undefined && this.now - this.#underWay.begunAt < GIVE_UP;
    const hasPaused = !isReading && this.now - this.#endedAt >= FRESH;
    const isBroken = this.told.at(-1) !== undefined;
    const oldest = this.now - FRESH;
    const check = (ring: KeyRing, isAtOnce: boolean) =>
      this.checks.push(async () => {
        const version = await this.versionOf(ring);
        assert.ok(version >= least, `version ${version} after ${least} was complete`);
        assert.ok(version >= this.#seen, `version ${version} after ${this.#seen} was seen`);
        this.#seen = version;
        const isFresh = reads.some((read) => read.version === version && read.begunAt > oldest);
        if (isAtOnce && !isBroken) assert.ok(isFresh, "old keys without a wait");
        if (isAtOnce && isBroken) assert.ok(isFresh || !hasPaused, "the outage may have ended in a pause");
      });
    const ring = this.#cache.current(performance.now());
    if (!isPromise(ring)) check(ring, true);
    else {
      const isFresh = reads.some(({ begunAt }) => begunAt > oldest);
      // The check is made later: an assertion within the scheduler would be lost.
      this.checks.push(() => {
        assert.ok(!isFresh, "a wait although the keys are fresh");
        assert.ok(!isBroken || hasPaused, "a wait in an outage");
        return Promise.resolve();
      });
      const read = this.#underWay;
      ring.then(
        (ring) => {
          check(ring, false);
          // The latest read goes on, so the patience has ended.
          const isSilent = read !== undefined && read === this.#underWay && this.told.at(-1) === undefined;
          this.checks.push(() => Promise.resolve(assert.ok(!isSilent, "a read that takes too long was not reported")));
        },
        () => this.checks.push(() => Promise.resolve(assert.ok(!wasKnown, "a moment without keys"))),
      );
    }
  }
}

test("whatever the order of reads, changes and requests, no request sees older keys, waits for long or finds none", async () => {
  const { now } = performance;
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), STEPS, fc.boolean(), async (scheduler, steps, hasVersions) => {
      const world = new World(scheduler, hasVersions);
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
      });
      for (const check of world.checks) await check();
      assert.equal(world.told.at(-1), undefined, "the end of the outage");
      world.told.forEach((error, i) => assert.equal(error === undefined, i % 2 === 1, "one report for each outage"));
    }),
    // Node's test runner follows every promise, which takes twenty times as long.
    { numRuns: "Deno" in globalThis ? 1_500 : 200 },
  ).finally(() => performance.now = now);
});

test("keys that have not changed are not read again", async () => {
  const { keys } = createMemoryStore();
  let reads = 0, first: string | undefined;
  const counted: KeyStore = {
    ...UNUSED,
    list: never,
    async listSince(version) {
      first ??= version;
      const snapshot = await keys.listSince!(version);
      if (snapshot.keys) reads++;
      return snapshot;
    },
  };
  const cache = new KeyCache(counted, [], never);
  const key = keyOf("ci", { digest: DIGEST });
  const change = [() => keys.add(key), () => keys.revoke(key.id, new Date())];
  for (const isValid of [false, true, false]) {
    for (let i = 0; i < 3; i++) await cache.renew();
    assert.equal(await (await cache.current(performance.now())).find(KEY) !== undefined, isValid);
    await change.shift()?.();
  }
  assert.deepEqual([reads, first], [3, ""]);
});

test("a key that was changed by hand is as its members say at the next read", async () => {
  const key = keyOf("ci", { digest: DIGEST });
  const cache = new KeyCache({ ...UNUSED, list: () => [{ ...key }] }, [], never);
  const changes: [change: Partial<StoredKey>, seen: unknown][] = [
    [{}, ["key-ci", false, Infinity]],
    [{ caller: "shop" }, ["shop", false, Infinity]],
    [{ readOnly: true, expires: new Date(5) }, ["shop", true, 5]],
    [{ revoked: new Date(5) }, undefined],
  ];
  for (const [change, seen] of changes) {
    Object.assign(key, change);
    await cache.renew();
    const owner = await (await cache.current(performance.now())).find(KEY);
    assert.deepEqual(owner && [owner.caller.id, owner.caller.readOnly, owner.expires], seen);
  }
});

test("an older read that fails after a newer one has ended is not told, and one that ends before leaves the newer one", () =>
  withStoppedClock(async (pass) => {
    const reads: PromiseWithResolvers<StoredKey[]>[] = [], told: unknown[] = [];
    const list = () => {
      const read = Promise.withResolvers<StoredKey[]>();
      reads.push(read);
      return read.promise;
    };
    const cache = new KeyCache({ ...UNUSED, list }, [], (error) => told.push(error));
    const [older, newer] = [cache.renew(), cache.renew()];
    reads[1]!.resolve([]);
    await newer;
    reads[0]!.reject(new Error("broken"));
    await assert.rejects(older, /broken/);
    assert.deepEqual(told, []);
    const [next] = [cache.renew(), cache.renew()];
    reads[2]!.resolve([]);
    await next;
    pass(900);
    const waiting = cache.current(performance.now());
    assert.deepEqual([isPromise(waiting), reads.length], [true, 4]);
    reads[3]!.resolve([]);
    await waiting;
  }));

test("an unknown key waits for the read that its own request has begun, and for no other one", () =>
  withStoppedClock(async (pass) => {
    let reads = 0;
    const cache = new KeyCache({ ...UNUSED, list: () => (reads++, []) }, [], never);
    await cache.renew();
    // The keys are old enough now for a new read, and not so old that a request with a known key would wait for it.
    pass(500);
    assert.equal(await cache.find(KEY, performance.now()), undefined);
    assert.equal(reads, 2);
  }));
