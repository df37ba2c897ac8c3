/** Calls of KV that fail, are late or hang, and commits that other servers overtake. */

import assert from "node:assert/strict";
import { createKvStore, type KvClient } from "../../lib/kv/kv_store.ts";
import { begin, pause } from "../../../conformance/lib/store/case.ts";
import { type PetStore, StoreUnavailableError } from "@petstore/petstore/store";
import { until } from "../../../../tests/support/until.ts";
import { whileReplaced } from "../../../../tests/support/while_replaced.ts";
import { type CommitHook, petsAfter, request, REX, test, withCommits } from "../kv_support/kv.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Counts the calls: reads when they are made, and commits. */
function counting(kv: KvClient): { kv: KvClient; calls: Record<string, number> } {
  const calls: Record<string, number> = {};
  const count = (name: string) => calls[name] = (calls[name] ?? 0) + 1;
  const counted = new Proxy(withCommits(kv, (commit) => (count("commit"), commit())), {
    get(target, name: keyof KvClient) {
      if (name !== "atomic") count(name);
      return target[name];
    },
  });
  return { calls, kv: counted };
}

test("a KV store makes one call for each operation, and two more for a create with a key", async (kv) => {
  const { kv: counted, calls } = counting(kv);
  const store = createKvStore(counted);
  const once = () => store.createOnce?.(REX, request("a"));
  const works: [work: () => unknown, calls: Record<string, number>][] = [
    [() => store.create(REX), { get: 1, list: 2, commit: 1 }],
    [() => store.create(REX), { commit: 1 }],
    [() => Promise.all(Array.from({ length: 200 }, () => store.create(REX))), { commit: 1 }],
    [once, { getMany: 1, list: 1, commit: 1 }],
    [once, { getMany: 1, list: 1 }],
    [() => store.get(7n), { get: 1 }],
    [() => store.list({ after: 0n, limit: 1, status: "sold" }), { list: 1 }],
    [() => store.check(), { get: 1, list: 1 }],
    [() => store.checkWrites?.(), { commit: 1 }],
  ];
  for (const [work, made] of works) {
    for (const name of Object.keys(calls)) delete calls[name];
    await work();
    assert.deepEqual(calls, made);
  }
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

test("a commit whose response is lost is not sent again, and if KV cannot be read then, the pet may have been stored", async (kv) => {
  let isLost = true, isAway = false, commits = 0;
  const lost = new TypeError("The connection was lost");
  const losing = withCommits(kv, async (commit) => {
    commits++;
    const outcome = await commit();
    if (isLost) throw lost;
    return outcome;
  });
  const store = createKvStore({
    ...losing,
    getMany: (...args) => isAway ? Promise.reject(lost) : kv.getMany(...args),
  });
  assert.equal(await store.create(REX), 1n);
  isAway = true;
  await assert.rejects(async () => await store.create(REX), { name: "StoreUnavailableError", mayBeStored: true });
  isLost = isAway = false;
  // The next one begins with the counter as it is.
  assert.equal(await store.create(REX), 3n);
  assert.equal(commits, 3);
});

/** How KV tells the outcome of a commit that it has applied. */
const WRONG_OUTCOMES: Record<string, () => ReturnType<CommitHook>> = {
  "as overtaken": () => Promise.resolve({ ok: false }),
  "as lost": () => Promise.reject(new TypeError("The connection was lost")),
};

for (const [how, tell] of Object.entries(WRONG_OUTCOMES)) {
  test(`a commit that is applied and told ${how} is not repeated, though another server commits meanwhile`, async (kv) => {
    const other = createKvStore(kv);
    let isWrong = true;
    const store = createKvStore(withCommits(kv, async (commit) => {
      const outcome = await commit();
      if (!isWrong) return outcome;
      await other.create({ ...REX, name: "other" });
      return await tell();
    }));
    assert.equal(await store.create({ ...REX, name: "one" }), 1n);
    const once = () => store.createOnce!({ ...REX, name: "once" }, request("a"));
    assert.deepEqual(await once(), { outcome: "created", id: 3n });
    isWrong = false;
    assert.deepEqual(await once(), { outcome: "replayed", id: 3n });
    assert.equal(await store.create({ ...REX, name: "next" }), 5n);
    const names = (await petsAfter(store)).map(({ name }) => name);
    assert.deepEqual(names, ["one", "other", "once", "other", "next"]);
  });
}

test("a create with a key that another server has just used gets the pet of that server", async (kv) => {
  const other = createKvStore(kv), once = (store: PetStore) => store.createOnce!(REX, request("a"));
  let isOvertaken = true;
  const store = createKvStore(withCommits(kv, async (commit) => {
    if (isOvertaken) await once(other);
    isOvertaken = false;
    return await commit();
  }));
  assert.deepEqual(await once(store), { outcome: "replayed", id: 1n });
  assert.equal(await store.create(REX), 2n);
});

test("a commit waits for other programs that are writing until the time limit, and is then refused, and stored never", async (kv) => {
  const other = createKvStore(kv);
  let failures = Infinity;
  const obstacles: CommitHook[] = [
    (commit) => failures-- > 0 ? Promise.reject(new TypeError("database is locked")) : commit(),
    async (commit) => {
      if (failures-- > 0) await other.create({ ...REX, name: "Bo" });
      return await commit();
    },
  ];
  for (const obstacle of obstacles) {
    const worksOf = (store: PetStore) => [() => store.create(REX), () => store.checkWrites!()];
    failures = Infinity;
    const impatient = createKvStore(withCommits(kv, obstacle), { timeoutMs: 100 });
    for (const work of worksOf(impatient)) await assert.rejects(async () => await work(), StoreUnavailableError);
    await impatient.close();
    for (const work of worksOf(createKvStore(withCommits(kv, obstacle)))) {
      failures = 20;
      await work();
    }
  }
  const pets = await petsAfter(other);
  assert.equal(pets.filter(({ name }) => name === "Rex").length, obstacles.length);
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
  for (
    const work of [
      () => store.get(1n),
      () => store.list({ after: 0n, limit: 1 }),
      () => store.check(),
      () => store.create(REX),
    ]
  ) await assert.rejects(async () => await work(), refusal);
});

for (const slow of ["get", "getMany"] as const) {
  test(`a create that was refused because ${slow}() took too long is not sent to KV later`, async (kv) => {
    let commits = 0;
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const store = createKvStore({
      ...withCommits(kv, (commit) => (commits++, commit())),
      [slow]: async (...args: never[]) => {
        const read = await (kv[slow] as (...args: never[]) => Promise<unknown>).apply(kv, args);
        await gate;
        return read;
      },
    }, { timeoutMs: 50 });
    // A read has a time limit of its own, which has begun later, so it ends before that.
    const refused = Promise.resolve(store.createOnce!(REX, request("a"))).finally(release);
    await assert.rejects(refused, StoreUnavailableError);
    await store.close();
    await pause(50);
    assert.equal(commits, 0);
    assert.deepEqual(await petsAfter(createKvStore(kv)), []);
  });
}

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
  const orFail = <T>(work: () => Promise<T>) => fails ? Promise.reject(new TypeError("disk I/O error")) : work();
  const failing = {
    ...withCommits(kv, orFail),
    get: (...args: Parameters<KvClient["get"]>) => orFail(() => kv.get(...args)),
  };
  const store = createKvStore(failing, { timeoutMs: 60_000 });
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
