/** When a key cache reads the keys, and how long requests wait for them. key_cache_test.ts has every order of events. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyCache } from "../../lib/access/key_cache.ts";
import { isPromise } from "../../lib/maybe_promise.ts";
import type { KeyStore, StoredKey } from "../../lib/stores/key_store.ts";
import { StoreUnavailableError } from "../../mod.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

interface World {
  cache: KeyCache;
  /** The reads that have begun. The test ends them. */
  reads: PromiseWithResolvers<StoredKey[]>[];
  /** What onOutage was told. */
  told: unknown[];
  /** How many timers are set. */
  pending(): number;
}

function withCache(use: (world: World) => Promise<void>): Promise<void> {
  return withVirtualClock(async ({ pending }) => {
    const reads: World["reads"] = [], told: unknown[] = [];
    const list = () => {
      const read = Promise.withResolvers<StoredKey[]>();
      reads.push(read);
      return read.promise;
    };
    const never = () => assert.fail();
    const store: KeyStore = { list, add: never, revoke: never, touch: never, remove: never };
    await use({ cache: new KeyCache(store, [], (error) => told.push(error)), reads, told, pending });
  });
}

/** Waits in virtual time, which takes no time. */
const pass = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** The keys of a store whose one key has this caller. */
function keysOf(caller: string): StoredKey[] {
  const times = { created: new Date(0), expires: undefined, revoked: undefined, lastUsed: undefined };
  return [{ id: "key-1", digest: "0".repeat(64), label: "ci", readOnly: false, caller, ...times }];
}

test("a request begins to read keys that are 400 ms old, and waits for keys that are 900 ms old", () =>
  withCache(async ({ cache, reads, pending }) => {
    const first = cache.current();
    assert.ok(isPromise(first));
    reads[0]!.resolve(keysOf("a"));
    const ring = await first;
    await pass(399);
    assert.deepEqual([cache.current() === ring, reads.length], [true, 1]);
    await pass(1);
    assert.deepEqual([cache.current() === ring, reads.length], [true, 2]);
    await pass(499);
    assert.deepEqual([cache.current() === ring, reads.length], [true, 2]);
    await pass(1);
    const waiting = cache.current();
    assert.deepEqual([isPromise(waiting), reads.length], [true, 2]);
    reads[1]!.resolve(keysOf("b"));
    const next = await waiting;
    assert.deepEqual([next === ring, cache.current() === next, pending()], [false, true, 0]);
  }));

test("an outage is told once, and requests try again 400 ms after the last read, and wait only after a pause of 900 ms", () =>
  withCache(async ({ cache, reads, told }) => {
    const cause = new Error("broken");
    const first = cache.current();
    reads[0]!.resolve(keysOf("a"));
    const ring = await first;
    /** Asks, and lets the read that this begins fail. */
    const ask = async () => {
      const isKnown = cache.current() === ring;
      reads.at(-1)!.reject(cause);
      await pass(0);
      return [isKnown, reads.length];
    };
    await pass(400);
    assert.deepEqual(await ask(), [true, 2]);
    await pass(399);
    assert.deepEqual(await ask(), [true, 2]);
    await pass(1);
    assert.deepEqual(await ask(), [true, 3]);
    await pass(899);
    assert.deepEqual(await ask(), [true, 4]);
    assert.deepEqual(told, [cause]);
    await pass(900);
    const waiting = cache.current();
    assert.deepEqual([isPromise(waiting), reads.length], [true, 5]);
    reads[4]!.resolve(keysOf("b"));
    assert.notEqual(await waiting, ring);
    assert.deepEqual(told, [cause, undefined]);
  }));

test("a read that does not end is told after a second, and another one begins after ten", () =>
  withCache(async ({ cache, reads, told, pending }) => {
    const first = cache.current();
    reads[0]!.resolve(keysOf("a"));
    const ring = await first;
    await pass(900);
    assert.equal(await cache.current(), ring);
    assert.deepEqual(told, [new StoreUnavailableError("Reading the API keys takes longer than 1000 ms")]);
    await pass(8_999);
    assert.deepEqual([cache.current() === ring, reads.length], [true, 2]);
    await pass(1);
    const waiting = cache.current();
    assert.deepEqual([isPromise(waiting), reads.length], [true, 3]);
    reads[2]!.resolve(keysOf("b"));
    const next = await waiting;
    reads[1]!.resolve(keysOf("too late"));
    await pass(0);
    assert.deepEqual([next === ring, cache.current() === next, told.at(-1), pending()], [false, true, undefined, 0]);
  }));

test("a request that finds no keys yet fails after ten seconds, which is not told as an outage", () =>
  withCache(async ({ cache, told }) => {
    const error = new StoreUnavailableError("Reading the API keys takes longer than 10000 ms");
    await assert.rejects(async () => await cache.current(), error);
    assert.deepEqual(told, []);
  }));

test("an older read that fails after a newer one has ended is not told, and one that ends before leaves the newer one", () =>
  withCache(async ({ cache, reads, told }) => {
    const [older, newer] = [cache.renew(), cache.renew()];
    reads[1]!.resolve(keysOf("a"));
    await newer;
    reads[0]!.reject(new Error("broken"));
    await assert.rejects(older, /broken/);
    assert.deepEqual(told, []);
    const [next] = [cache.renew(), cache.renew()];
    reads[2]!.resolve(keysOf("a"));
    await next;
    await pass(900);
    const waiting = cache.current();
    assert.deepEqual([isPromise(waiting), reads.length], [true, 4]);
    reads[3]!.resolve(keysOf("b"));
    await waiting;
  }));
