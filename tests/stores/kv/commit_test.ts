/** Commits that other servers overtake, that fail, that are late, and whose outcome KV does not tell. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKvStore, type KvClient } from "../../../lib/stores/kv/kv_store.ts";
import type { IdempotentOutcome, PetStore } from "../../../mod.ts";
import { withTestKv } from "../../support/kv.ts";
import { until } from "../../support/until.ts";
import { type CommitHook, request, REX, withCommits } from "./support.ts";

async function idsOf(store: PetStore): Promise<number[]> {
  const ids: number[] = [];
  for (let after: bigint | undefined = 0n; after !== undefined;) {
    const { json, next }: { json: string; next?: bigint } = await store.list({ after, limit: 100 });
    ids.push(...(JSON.parse(json) as { id: number }[]).map(({ id }) => id));
    after = next;
  }
  return ids;
}

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

test("a KV store makes one call for each operation, and two more for a create with a key", () =>
  withTestKv(async (kv) => {
    const { kv: counted, calls } = counting(kv);
    const store = createKvStore(counted);
    const madeBy = async (work: () => unknown) => {
      for (const name of Object.keys(calls)) delete calls[name];
      await work();
      return { ...calls };
    };
    assert.deepEqual(await madeBy(() => store.create(REX)), { getMany: 1, list: 1, commit: 1 });
    assert.deepEqual(await madeBy(() => store.create(REX)), { commit: 1 });
    const many = () => Promise.all(Array.from({ length: 200 }, () => store.create(REX)));
    assert.deepEqual(await madeBy(many), { commit: 1 });
    const once = () => store.createOnce?.(REX, request("a"));
    assert.deepEqual(await madeBy(once), { getMany: 1, list: 1, commit: 1 });
    assert.deepEqual(await madeBy(once), { getMany: 1, list: 1 });
    assert.deepEqual(await madeBy(() => store.get(7n)), { get: 1 });
    assert.deepEqual(await madeBy(() => store.list({ after: 0n, limit: 100 })), { list: 1 });
    assert.deepEqual(await madeBy(() => store.list({ after: 0n, limit: 1, status: "sold" })), { list: 1 });
    assert.deepEqual(await madeBy(() => store.check()), { getMany: 1 });
    assert.deepEqual(await madeBy(() => store.checkWrites?.()), { getMany: 1, commit: 1 });
  }));

test("servers that share a KV give each id once, without gaps, and carry out each request once", () =>
  withTestKv(async (kv) => {
    const stores = Array.from({ length: 4 }, () => createKvStore(kv));
    const ids: bigint[] = [];
    const add = async (store: PetStore) => {
      for (let i = 0; i < 25; i++) ids.push(await store.create(REX));
    };
    const outcomes: (IdempotentOutcome | undefined)[] = [];
    const repeat = async (store: PetStore) => {
      for (let i = 0; i < 25; i++) outcomes.push(await store.createOnce?.(REX, request(`${i}`)));
    };
    await Promise.all(stores.flatMap((store) => [add(store), add(store), repeat(store)]));
    const created = outcomes.filter((each) => each?.outcome === "created");
    assert.equal(created.length, 25);
    assert.equal(new Set(outcomes.map((each) => each && "id" in each ? each.id : 0n)).size, 25);
    assert.deepEqual(await idsOf(stores[0]!), Array.from({ length: 225 }, (_, i) => i + 1));
    assert.equal(new Set(ids).size, 200);
  }));

for (
  const [what, hide] of Object.entries({
    "fails after it": (): never => {
      throw new Error("The connection was lost");
    },
    "reports a check that failed, because it tried twice": () => ({ ok: false } as const),
  })
) {
  test(`a commit is not repeated when KV ${what}`, () =>
    withTestKv(async (kv) => {
      let lies = 0;
      const store = createKvStore(withCommits(kv, async (commit) => {
        const result = await commit();
        return lies++ % 2 === 0 ? hide() : result;
      }));
      for (let id = 1n; id < 6n; id++) assert.equal(await store.create(REX), id);
      assert.deepEqual(await store.createOnce?.(REX, request("a")), { outcome: "created", id: 6n });
      assert.deepEqual(await idsOf(store), [1, 2, 3, 4, 5, 6]);
    }));

  test(`a commit is found among those of other servers when KV ${what}`, () =>
    withTestKv(async (kv) => {
      const other = createKvStore(kv);
      const store = createKvStore(withCommits(kv, async (commit) => {
        await commit();
        for (let i = 0; i < 50; i++) await other.create(REX);
        return hide();
      }));
      assert.equal(await store.create(REX), 1n);
      assert.deepEqual(await store.createOnce?.(REX, request("a")), { outcome: "created", id: 52n });
      assert.equal((await idsOf(other)).length, 102);
    }));
}

test("a create is planned anew if another server commits first and KV fails", () =>
  withTestKv(async (kv) => {
    const other = createKvStore(kv);
    let tries = 0;
    const store = createKvStore(withCommits(kv, async (commit) => {
      if (tries++ > 0) return await commit();
      await other.create(REX);
      await commit();
      throw new Error("The connection was lost");
    }));
    assert.equal(await store.create(REX), 2n);
    assert.deepEqual(await idsOf(store), [1, 2]);
  }));

test("a failure that passes costs a retry, and one that stays refuses the create and nothing later", () =>
  withTestKv(async (kv) => {
    let failures = 0, commits = 0;
    const store = createKvStore(withCommits(kv, (commit) => {
      commits++;
      return failures-- > 0 ? Promise.reject(new TypeError("disk I/O error\n\nStack backtrace:")) : commit();
    }));
    failures = 3;
    assert.equal(await store.create(REX), 1n);
    failures = 4;
    const refusal = { name: "StoreUnavailableError", message: "Deno KV: disk I/O error" };
    await assert.rejects(async () => await store.create(REX), refusal);
    assert.equal(await store.create(REX), 2n);
    assert.equal(commits, 9);
  }));

test("a commit waits for other processes that are writing, until the time limit", () =>
  withTestKv(async (kv) => {
    let failures = 20;
    const hook: CommitHook = (commit) =>
      failures-- > 0 ? Promise.reject(new TypeError("database is locked")) : commit();
    const store = createKvStore(withCommits(kv, hook));
    assert.equal(await store.create(REX), 1n);
    failures = 20;
    await store.checkWrites?.();
    failures = Infinity;
    const impatient = createKvStore(withCommits(kv, hook), { timeoutMs: 100 });
    const refusal = { name: "StoreUnavailableError", message: /database is locked|did not answer/ };
    await assert.rejects(async () => await impatient.create(REX), refusal);
    await assert.rejects(async () => await impatient.checkWrites?.(), refusal);
    assert.deepEqual(await idsOf(store), [1]);
  }));

test("a create that other servers overtake each time is refused at the time limit, and not stored", () =>
  withTestKv(async (kv) => {
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
  }));

test("while a commit hangs, creates are refused and reads go on; when it has ended, creates succeed again", () =>
  withTestKv(async (kv) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isHanging = true;
    const store = createKvStore(
      withCommits(kv, async (commit) => {
        if (isHanging) await promise;
        return await commit();
      }),
      { timeoutMs: 500 },
    );
    const reader = createKvStore(kv);
    const refusal = { name: "StoreUnavailableError", message: "Deno KV did not answer within 500 milliseconds" };
    const first = [store.create(REX), store.createOnce?.(REX, request("a"))];
    for (const create of first) await assert.rejects(async () => await create, refusal);
    await assert.rejects(async () => await store.create(REX), refusal);
    await assert.rejects(async () => await store.checkWrites?.(), refusal);
    assert.equal(await reader.get(1n), undefined);
    isHanging = false;
    resolve();
    // The commit that hung is carried out, as its clients were told that it may be.
    const repeat = async () => await store.createOnce?.(REX, request("a"));
    await until("the commit has ended", () => repeat().then(() => true, () => false));
    assert.deepEqual(await repeat(), { outcome: "replayed", id: 2n });
    assert.equal(await store.create(REX), 3n);
    await store.close();
  }));

test("a KV store can be closed while a commit hangs", () =>
  withTestKv(async (kv) => {
    const store = createKvStore(withCommits(kv, () => new Promise(() => {})), { timeoutMs: 20 });
    const refused = assert.rejects(async () => await store.create(REX), { name: "StoreUnavailableError" });
    await store.close();
    await refused;
  }));

test("a read that hangs is refused at the time limit", () =>
  withTestKv(async (kv) => {
    const hanging = () => new Promise<never>(() => {});
    const list = () => ({ [Symbol.asyncIterator]: () => ({ next: hanging }) });
    const store = createKvStore({ get: hanging, getMany: hanging, list, atomic: () => kv.atomic() }, { timeoutMs: 20 });
    const refusal = { name: "StoreUnavailableError", message: "Deno KV did not answer within 20 milliseconds" };
    await assert.rejects(async () => await store.get(1n), refusal);
    await assert.rejects(async () => await store.list({ after: 0n, limit: 1 }), refusal);
    await assert.rejects(async () => await store.check(), refusal);
    await assert.rejects(async () => await store.create(REX), refusal);
  }));

test("a key is added once when KV fails after each commit", () =>
  withTestKv(async (kv) => {
    let lies = 0;
    const { keys } = createKvStore(withCommits(kv, async (commit) => {
      const result = await commit();
      if (lies++ % 2 === 0) throw new Error("The connection was lost");
      return result;
    }));
    const key = {
      ...{ id: "key-a", digest: "d".repeat(64), label: "a", caller: "a", readOnly: false, created: new Date(7) },
      ...{ expires: undefined, revoked: undefined, lastUsed: undefined },
    };
    assert.equal(await keys.add(key), true);
    assert.equal(await keys.add(key), false);
    const replacing = { ...key, id: "key-b", digest: "e".repeat(64) };
    assert.equal(await keys.add(replacing, { id: "key-a", expires: new Date(9) }), true);
    assert.equal(await keys.revoke("key-a", new Date(8)), true);
    await keys.touch([{ id: "key-b", at: new Date(10) }]);
    assert.deepEqual(await keys.list(), [
      { ...key, expires: new Date(9), revoked: new Date(8) },
      { ...replacing, lastUsed: new Date(10) },
    ]);
  }));
