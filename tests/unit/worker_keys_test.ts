/**
 * When a Worker reads the keys: each request waits for its own reads alone. These tests pretend to run in one, which the library finds out
 * when it is loaded, so they have a file of their own.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { sleep } from "../../lib/promises.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Cloudflare-Workers" } });
const { KeyCache } = await import("../../lib/access/key_cache.ts");

const never = () => assert.fail();

function createSlowStore(readTime: number) {
  const store = { reads: 0 };
  const list = async () => (store.reads++, await sleep(readTime), []);
  return { store, cache: new KeyCache({ list, add: never, revoke: never }, [], { onOutage() {}, onRecovery() {} }) };
}

test("in a Worker, wrong keys cause one read in fifty milliseconds", () =>
  withVirtualClock(async ({ now }) => {
    const { store, cache } = createSlowStore(20);
    await cache.renew();
    const found: unknown[] = [];
    for (; now() < 3_000; await sleep(10)) found.push(cache.find("pk_wrong", now()));
    await Promise.all(found);
    assert.equal(store.reads, 61);
  }));

test("in a Worker, a request begins one read of its own if that of another request has not ended after fifty milliseconds", () =>
  withVirtualClock(async ({ now }) => {
    const { store, cache } = createSlowStore(700);
    const begunAt = now();
    const first = cache.current(now());
    await sleep(10);
    await cache.current(now());
    assert.deepEqual([now() - begunAt, store.reads], [750, 2]);
    await first;
  }));

test("in a Worker, a request waits for its read of keys that are half a second old", () =>
  withVirtualClock(async ({ now }) => {
    const { store, cache } = createSlowStore(20);
    await cache.renew();
    await sleep(500);
    const cameAt = now();
    await cache.current(cameAt);
    assert.deepEqual([now() - cameAt, store.reads], [20, 2]);
  }));
