import assert from "node:assert/strict";
import type { PooledStore } from "../lib/client/database.ts";
import { type KeyedPetStore, StoreUnavailableError } from "@petstore/petstore/store";
import { connect, openImpatient, runSql, untilAnswered, withPool } from "../../../tests/support/postgres/postgres.ts";
import { countWaiting, withLockedTable } from "../../../tests/support/postgres/lock.ts";
import { until } from "../../../tests/support/until.ts";
import { PET, request, test } from "./support.ts";

async function refusals(works: readonly unknown[]): Promise<Error[]> {
  const results = await Promise.allSettled(works);
  return results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
}

test.schema(
  `a store cancels the statements that it gives up, and stores nothing later`,
  (url, schema) =>
    withPool(url, async (client) => {
      const store = await openImpatient(client, { url, schema });
      await withLockedTable(url, `${schema}.pets`, async (unlock) => {
        for (let i = 0; i < 2; i++) {
          // More than there are connections: the waiting ones must not run later either.
          const gets = Array.from({ length: 12 }, () => store.get(1n));
          const reasons = await refusals([store.create(PET), ...gets, store.check()]);
          assert.equal(reasons.length, 14);
          for (const reason of reasons) assert.ok(reason instanceof StoreUnavailableError, String(reason));
        }
        // The lock is still held, so the statements have been cancelled.
        await until("no statement waits for the lock", async () => await countWaiting(url, schema) === 0);
        await unlock();
      });
      await untilAnswered(() => store.get(1n));
      assert.deepEqual(await runSql(url, `SELECT count(*) FROM ${schema}.pets`), [["1"]]);
      await untilAnswered(() => store.create(PET));
      await store.close();
    }),
);

test.schema(
  `a store refuses creates that wait for one that hangs, and closes in time`,
  (url, schema) =>
    withPool(url, async (client) => {
      const store = await openImpatient(client, { url, schema });
      await withLockedTable(url, `${schema}.pets`, async () => {
        // The creates have one key and different pets, so that each needs a statement of its own.
        const creates = Array.from({ length: 40 }, (_, i) => store.createOnce!(PET, request("a", String(i))));
        const messages = (await refusals(creates)).map(({ message }) => message);
        assert.equal(messages.length, 40);
        // One statement alone was sent.
        assert.equal(messages.filter((text) => /not finish the earlier creates in time/.test(text)).length, 39);
        const late = refusals([store.create(PET), store.create(PET)]);
        await store.close();
        assert.equal((await late).length, 2);
      });
    }),
);

test.schema(
  "the keys are read while 10,000 reads wait for connections that hang, and the load shows these",
  async (url, schema) => {
    const pool = connect(url, schema, 2);
    const store = await openImpatient(pool, { url, schema, timeoutMs: 60_000 }) as KeyedPetStore & PooledStore;
    await withLockedTable(url, `${schema}.pets`, async (unlock) => {
      const gets = refusals(Array.from({ length: 10_002 }, () => store.get(1n)));
      assert.deepEqual(await store.keys.list(), []);
      assert.deepEqual(store.pool, { size: 2, running: 1, waiting: 10_000 });
      await unlock();
      // One has a connection, as the other one is for the keys, and the last one was refused.
      assert.deepEqual((await gets).map(({ message }) => message), ["Too many queries wait for PostgreSQL"]);
      assert.deepEqual(store.pool, { size: 2, running: 0, waiting: 0 });
    });
    await store.close();
    await pool.end();
  },
);
