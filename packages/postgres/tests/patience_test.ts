/** Statements that wait for a lock: a store gives them up in time, and its keys do not wait for them. */

import assert from "node:assert/strict";
// @ts-types="@types/pg"
import { Client, Pool } from "pg";
import { createPostgresStore } from "../mod.ts";
import { type PooledStore, StatementQueue } from "../lib/client/statement_queue.ts";
import { checkOptions } from "../lib/options.ts";
import { type KeyedPetStore, StoreUnavailableError } from "@petstore/petstore/store";
import { runSql, untilAnswered, withPool } from "../../../tests/support/postgres/postgres.ts";
import { until } from "../../../tests/support/until.ts";
import { PET, test } from "./support.ts";

type Store = KeyedPetStore & PooledStore;

/** Runs `use` while another program has locked the table of a store, which has a pet. */
async function whileLocked(
  url: string,
  schema: string,
  options: { max: number; timeoutMs: number },
  use: (store: Store, unlock: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const { timeoutMs, ...settings } = options;
  const pool = new Pool({ connectionString: url, ...settings }), locker = new Client({ connectionString: url });
  let store: Store;
  // The opening may take several attempts, on a busy machine.
  await untilAnswered(async () => store = await createPostgresStore(pool, { schema, timeoutMs }) as Store);
  await locker.connect();
  await locker.query(`BEGIN; LOCK TABLE "${schema}".pets IN ACCESS EXCLUSIVE MODE`);
  try {
    await use(store!, () => locker.query("COMMIT"));
  } finally {
    await locker.end();
  }
  await store!.close();
  await pool.end();
}

async function refusals(works: readonly unknown[]): Promise<Error[]> {
  const results = await Promise.allSettled(works);
  return results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
}

test.store("a store cancels the statements that it gives up, and stores nothing later", async (other, url, schema) => {
  await other.create(PET);
  await whileLocked(url, schema, { max: 4, timeoutMs: 500 }, async (store, unlock) => {
    // More than there are connections: the waiting ones must not run later either.
    const gets = Array.from({ length: 12 }, () => store.get(1n));
    const reasons = await refusals([store.create(PET), ...gets, store.check()]);
    assert.equal(reasons.filter((reason) => reason instanceof StoreUnavailableError).length, 14);
    // The lock is still held, so the statements have been cancelled.
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}%'`;
    await until("no statement waits for the lock", async () => (await runSql(url, waiting)).length === 0);
    await unlock();
    await untilAnswered(() => store.get(1n));
    assert.deepEqual(await runSql(url, `SELECT count(*) FROM "${schema}".pets`), [["1"]]);
    await untilAnswered(() => store.create(PET));
  });
});

test.schema(
  "a statement that is given up while it works, without a lock to wait for, is cancelled",
  (url, schema) =>
    withPool(url, async (pool) => {
      const db = new StatementQueue(pool, checkOptions({ timeoutMs: 500 }));
      // The name of the schema tells the statement from those of other tests.
      const sleep = `SELECT pg_catalog.pg_sleep(600)::text AS "${schema}"`;
      await assert.rejects(db.query(sleep), /has not answered/);
      const working = `SELECT FROM pg_stat_activity WHERE query = '${sleep}' AND state = 'active'`;
      await until("the statement has ended", async () => (await runSql(url, working)).length === 0);
      await until("the end of the cancellation", () => db.load.running === 0);
    }),
);

test.store(
  "the keys are read while 10,000 reads wait for connections that hang, and the load shows these",
  (_, url, schema) =>
    whileLocked(url, schema, { max: 2, timeoutMs: 60_000 }, async (store, unlock) => {
      const gets = refusals(Array.from({ length: 10_001 }, () => store.get(1n)));
      assert.deepEqual(await store.keys.list(), []);
      // One has a connection, as the other one is for the keys.
      assert.deepEqual(store.pool, { size: 2, running: 1, waiting: 9_999 });
      await unlock();
      assert.deepEqual((await gets).map(({ message }) => message), ["Too many queries wait for PostgreSQL"]);
      assert.deepEqual(store.pool, { size: 2, running: 0, waiting: 0 });
    }),
);
