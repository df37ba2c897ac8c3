/** Calls of KV that fail, are late, or hang. order_test.ts has commits that others overtake, or whose outcome is unknown. */

import assert from "node:assert/strict";
import { createKvStore, type KvClient } from "../../lib/kv/kv_store.ts";
import { begin, pause } from "../../../conformance/lib/store/case.ts";
import { StoreUnavailableError } from "@petstore/petstore/store";
import { until } from "../../../../tests/support/until.ts";
import { whileReplaced } from "../../../../tests/support/while_replaced.ts";
import { type CommitHook, petsAfter, request, REX, test, withCommits } from "../kv_support/kv.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Counts the calls. */
function counting(kv: KvClient): { kv: KvClient; calls: Record<string, number> } {
  const calls: Record<string, number> = {};
  const count = (name: string) => calls[name] = (calls[name] ?? 0) + 1;
  const counted = withCommits(kv, (commit) => (count("commit"), commit()));
  const { get, getMany, list, atomic } = counted;
  return {
    calls,
    kv: {
      get: (...args) => (count("get"), get(...args)),
      getMany: (...args) => (count("getMany"), getMany(...args)),
      list: (...args) => (count("list"), list(...args)),
      atomic,
    },
  };
}

test("a KV store makes one call for each operation, and two more for a create with a key", async (kv) => {
  const { kv: counted, calls } = counting(kv);
  const store = createKvStore(counted);
  const madeBy = async (work: () => unknown) => {
    for (const name of Object.keys(calls)) delete calls[name];
    await work();
    return { ...calls };
  };
  assert.deepEqual(await madeBy(() => store.create(REX)), { get: 1, list: 2, commit: 1 });
  assert.deepEqual(await madeBy(() => store.create(REX)), { commit: 1 });
  const many = () => Promise.all(Array.from({ length: 200 }, () => store.create(REX)));
  assert.deepEqual(await madeBy(many), { commit: 1 });
  const once = () => store.createOnce?.(REX, request("a"));
  assert.deepEqual(await madeBy(once), { getMany: 1, list: 1, commit: 1 });
  assert.deepEqual(await madeBy(once), { getMany: 1, list: 1 });
  assert.deepEqual(await madeBy(() => store.get(7n)), { get: 1 });
  assert.deepEqual(await madeBy(() => store.list({ after: 0n, limit: 100 })), { list: 1 });
  assert.deepEqual(await madeBy(() => store.list({ after: 0n, limit: 1, status: "sold" })), { list: 1 });
  assert.deepEqual(await madeBy(() => store.check()), { get: 1, list: 1 });
  assert.deepEqual(await madeBy(() => store.checkWrites?.()), { commit: 1 });
});

test("a failure that passes costs a retry, and one that stays refuses the create and nothing later", async (kv) => {
  let failures = 0, commits = 0;
  const store = createKvStore(withCommits(kv, (commit) => {
    commits++;
    return failures-- > 0 ? Promise.reject(new TypeError("disk I/O error\n\nStack backtrace:")) : commit();
  }));
  failures = 3;
  assert.equal(await store.create(REX), 1n);
  failures = 4;
  const refusal = { name: "StoreUnavailableError", message: "Deno KV: disk I/O error; the pet may have been stored" };
  await assert.rejects(async () => await store.create(REX), refusal);
  assert.equal(await store.create(REX), 2n);
  assert.equal(commits, 9);
});

test("a create may have been stored if its commit fails, and KV cannot be read afterwards", async (kv) => {
  let isLost = false;
  const failing = withCommits(kv, async (commit) => {
    await commit();
    isLost = true;
    throw new TypeError("The connection was lost");
  });
  const store = createKvStore({
    ...failing,
    getMany: (...args) => isLost ? Promise.reject(new TypeError("The connection was lost")) : kv.getMany(...args),
  });
  await assert.rejects(async () => await store.create(REX), { name: "StoreUnavailableError", mayBeStored: true });
  assert.equal((await petsAfter(createKvStore(kv))).length, 1);
});

test("a commit waits for other processes that are writing, until the time limit", async (kv) => {
  let failures = 20;
  const hook: CommitHook = (commit) => failures-- > 0 ? Promise.reject(new TypeError("database is locked")) : commit();
  const store = createKvStore(withCommits(kv, hook));
  assert.equal(await store.create(REX), 1n);
  failures = 20;
  await store.checkWrites?.();
  failures = Infinity;
  const impatient = createKvStore(withCommits(kv, hook), { timeoutMs: 100 });
  const refusal = { name: "StoreUnavailableError", message: /database is locked|did not answer/ };
  await assert.rejects(async () => await impatient.create(REX), refusal);
  await assert.rejects(async () => await impatient.checkWrites?.(), refusal);
  assert.equal((await petsAfter(store)).length, 1);
});

test("a create that other servers overtake each time is refused at the time limit, and not stored", async (kv) => {
  const other = createKvStore(kv);
  const overtaken = withCommits(kv, async (commit) => {
    await other.create({ ...REX, name: "Bo" });
    return await commit();
  });
  const store = createKvStore(overtaken, { timeoutMs: 300 });
  await assert.rejects(async () => await store.create(REX), { name: "StoreUnavailableError" });
  await store.close();
  const { json } = await other.list({ after: 0n, limit: 100 });
  assert.match(json, /"Bo"/);
  assert.doesNotMatch(json, /"Rex"/);
});

test("a KV store can be closed while a commit hangs", async (kv) => {
  const store = createKvStore(withCommits(kv, () => new Promise(() => {})), { timeoutMs: 20 });
  const refused = assert.rejects(async () => await store.create(REX), { name: "StoreUnavailableError" });
  await store.close();
  await refused;
});

test("a read that hangs is refused at the time limit", async (kv) => {
  const hanging = () => new Promise<never>(() => {});
  const list = () => ({ [Symbol.asyncIterator]: () => ({ next: hanging }) });
  const store = createKvStore({ get: hanging, getMany: hanging, list, atomic: () => kv.atomic() }, { timeoutMs: 20 });
  const refusal = { name: "StoreUnavailableError", message: "Deno KV did not answer within 20 milliseconds" };
  await assert.rejects(async () => await store.get(1n), refusal);
  await assert.rejects(async () => await store.list({ after: 0n, limit: 1 }), refusal);
  await assert.rejects(async () => await store.check(), refusal);
  await assert.rejects(async () => await store.create(REX), refusal);
});

test("a create that was refused because a read took too long is not sent to KV later", async (kv) => {
  let commits = 0;
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const slow: KvClient = {
    ...withCommits(kv, (commit) => {
      commits++;
      return commit();
    }),
    get: async (key, options) => {
      await gate;
      return await kv.get(key, options);
    },
  };
  const store = createKvStore(slow, { timeoutMs: 50 });
  await assert.rejects(async () => await store.create(REX), StoreUnavailableError);
  await store.close();
  release();
  await pause(50);
  assert.equal(commits, 0);
  assert.deepEqual(await createKvStore(kv).list({ after: 0n, limit: 5 }), { json: "[]" });
});

test("a create that was refused between two reads is not sent to KV later", async (kv) => {
  let commits = 0;
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const slow: KvClient = {
    ...withCommits(kv, (commit) => (commits++, commit())),
    getMany: async (keys, options) => {
      const entries = await kv.getMany(keys, options);
      await gate;
      return entries;
    },
  };
  const store = createKvStore(slow, { timeoutMs: 50 });
  // The read has a time limit of its own, which has begun later, and it ends before that.
  const refused = Promise.resolve(store.createOnce!(REX, request("a"))).finally(release);
  await assert.rejects(refused, StoreUnavailableError);
  await store.close();
  await pause(50);
  assert.equal(commits, 0);
  assert.deepEqual(await petsAfter(createKvStore(kv)), []);
});

test("creates that wait for a commit that hangs are refused with it, none is stored later, and the next one is", async (kv) => {
  let isFirst = true;
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const { promise: hangs, resolve: tellOfHang } = Promise.withResolvers<void>();
  const hanging = withCommits(kv, async (commit) => {
    if (isFirst) {
      isFirst = false;
      tellOfHang();
      await gate;
    }
    return await commit();
  });
  const store = createKvStore(hanging, { timeoutMs: 500 });
  const first = store.create({ ...REX, name: "first" });
  await hangs;
  const waiting = store.create({ ...REX, name: "waiting" });
  await assert.rejects(async () => await first, { name: "StoreUnavailableError", mayBeStored: true });
  await assert.rejects(async () => await waiting, { name: "StoreUnavailableError", mayBeStored: false });
  await assert.rejects(async () => await store.create(REX), { name: "StoreUnavailableError", mayBeStored: false });
  release();
  await until("KV has finished the commit", () => begin(() => store.checkWrites!()).then(() => true, () => false));
  await store.create({ ...REX, name: "next" });
  assert.deepEqual((await petsAfter(store)).map(({ name }) => name), ["first", "next"]);
});

test("no call of a KV store leaves a timer, also one that fails", async (kv) => {
  const { setTimeout, clearTimeout } = globalThis;
  const timers = new Set<unknown>();
  let fails = false;
  const failing = withCommits(kv, (commit) => fails ? Promise.reject(new TypeError("disk I/O error")) : commit());
  const store = createKvStore({
    ...failing,
    get: (...args) => fails ? Promise.reject(new TypeError("disk I/O error")) : kv.get(...args),
  }, { timeoutMs: 60_000 });
  const counted = (run: () => void, milliseconds?: number) => {
    const timer = setTimeout(() => (timers.delete(timer), run()), milliseconds);
    timers.add(timer);
    return timer;
  };
  const cleared = (timer: Parameters<typeof clearTimeout>[0]) => (timers.delete(timer), clearTimeout(timer));
  const calls = () => [store.get(1n), store.check(), store.create(REX), store.createOnce!(REX, request("a"))];
  await whileReplaced(globalThis, { setTimeout: counted as typeof setTimeout, clearTimeout: cleared }, async () => {
    for (fails of [false, true, false]) {
      const results = await Promise.allSettled(calls());
      assert.ok(fails || results.every(({ status }) => status === "fulfilled"));
      await turn();
      assert.equal(timers.size, 0, fails ? "after calls that fail" : "after calls that succeed");
    }
  });
});

test("after a commit whose response was lost, the next one begins with the counter as it is", async (kv) => {
  let isLost = true, commits = 0;
  const store = createKvStore(withCommits(kv, async (commit) => {
    commits++;
    const outcome = await commit();
    if (isLost) throw new TypeError("The connection was lost");
    return outcome;
  }));
  assert.equal(await store.create(REX), 1n);
  isLost = false;
  assert.equal(await store.create(REX), 2n);
  assert.equal(commits, 2);
});
