/**
 * When a Worker reads the keys: each request waits for its own reads alone. These tests pretend to
 * run in one, which the library finds out when it is loaded, so they have a file of their own.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { sleep } from "../../lib/promises.ts";
import { keyOf } from "../../packages/conformance/lib/store/keys.ts";
import { withQuickDigests } from "../support/quick_digests.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Cloudflare-Workers" } });
const { KeyCache } = await import("../../lib/access/key_cache.ts");
const { digestOf } = await import("../../lib/access/key_digest.ts");

const KEY = "pk_test";
const STORED = keyOf("ci", { digest: await digestOf(KEY) });

const never = () => assert.fail();

function createSlowStore(now: () => number, readMs: number) {
  const store = { readMs, reads: 0 };
  const list = async () => (store.reads++, await sleep(store.readMs), [STORED]);
  const cache = new KeyCache({ list, add: never, revoke: never }, [], { onOutage: never, onRecovery: never });

  /** Sends a request. Resolves to the name of its caller, and how many milliseconds it has waited. */
  async function ask(key: string): Promise<[caller: string | undefined, wait: number]> {
    const arrivedAt = now();
    const owner = await cache.find(key, arrivedAt);
    return [owner?.caller.id, now() - arrivedAt];
  }

  return { store, cache, ask };
}

function testWorker(
  title: string,
  readMs: number,
  run: (slow: ReturnType<typeof createSlowStore>) => Promise<void>,
): void {
  test(title, () => withQuickDigests(() => withVirtualClock(({ now }) => run(createSlowStore(now, readMs)))));
}

testWorker("in a Worker, wrong keys cause one read in fifty milliseconds", 20, async ({ store, cache, ask }) => {
  await cache.renew();
  const asked: ReturnType<typeof ask>[] = [];
  for (let i = 0; i < 300; i++, await sleep(10)) asked.push(ask("pk_wrong"));
  assert.ok((await Promise.all(asked)).every(([caller, wait]) => caller === undefined && wait <= 120));
  assert.ok(store.reads <= 62, `${store.reads} reads`);
});

testWorker("in a Worker, no request waits for the read of another one", 700, async ({ store, ask }) => {
  const first = ask(KEY);
  await sleep(10);
  store.readMs = 20;
  // A request begins its own read fifty milliseconds after that of the other.
  assert.deepEqual([await ask(KEY), store.reads], [[STORED.caller, 60], 2]);
  assert.deepEqual([await first, store.reads], [[STORED.caller, 700], 2]);
});

testWorker(
  "in a Worker, a request waits for its read of keys that are half a second old",
  20,
  async ({ store, cache, ask }) => {
    await cache.renew();
    await sleep(500);
    assert.deepEqual([await ask(KEY), await ask(KEY), store.reads], [[STORED.caller, 20], [STORED.caller, 0], 2]);
  },
);
