/** Statements that wait for a lock: a store gives them up in time, and its keys do not wait for them. */

import assert from "node:assert/strict";
// @ts-types="@types/pg"
import { Client, Pool } from "pg";
import { createPostgresStore } from "../mod.ts";
import type { PooledStore } from "../lib/client/database.ts";
import { type KeyedPetStore, StoreUnavailableError } from "@petstore/petstore/store";
import { connect, runSql, untilAnswered } from "../../../tests/support/postgres/postgres.ts";
import { until } from "../../../tests/support/until.ts";
import { PET, test } from "./support.ts";

type Store = KeyedPetStore & PooledStore;

/** A store whose table another program has locked, until it is told to unlock it. */
interface Locked {
  store: Store;
  url: string;
  schema: string;
  unlock(): Promise<unknown>;
}

/** A test with a store that has a pet, and so many connections. */
function testLocked(name: string, size: number, timeoutMs: number, use: (locked: Locked) => Promise<void>): void {
  test.tables(name, async (url, schema) => {
    await runSql(url, `SELECT "${schema}".add_pets('{Rex}', '{7}', '{2}', '{}', '{}', '{}')`);
    const pool = connect(url, schema, size), other = new Client({ connectionString: url });
    let store: Store;
    // The opening may take several attempts, on a busy machine.
    await untilAnswered(async () => store = await createPostgresStore(pool, { schema, timeoutMs }) as Store);
    await other.connect();
    await other.query(`BEGIN; LOCK TABLE ${schema}.pets IN ACCESS EXCLUSIVE MODE`);
    try {
      await use({ store: store!, url, schema, unlock: () => other.query("COMMIT") });
    } finally {
      await other.end();
    }
    await store!.close();
    await pool.end();
  });
}

async function refusals(works: readonly unknown[]): Promise<Error[]> {
  const results = await Promise.allSettled(works);
  return results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
}

testLocked(
  "a store cancels the statements that it gives up, and stores nothing later",
  4,
  500,
  async ({ store, url, schema, unlock }) => {
    for (let i = 0; i < 2; i++) {
      // More than there are connections: the waiting ones must not run later either.
      const gets = Array.from({ length: 12 }, () => store.get(1n));
      const reasons = await refusals([store.create(PET), ...gets, store.check()]);
      assert.equal(reasons.length, 14);
      for (const reason of reasons) assert.ok(reason instanceof StoreUnavailableError, String(reason));
    }
    // The lock is still held, so the statements have been cancelled.
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}%'`;
    await until("no statement waits for the lock", async () => (await runSql(url, waiting)).length === 0);
    await unlock();
    await untilAnswered(() => store.get(1n));
    assert.deepEqual(await runSql(url, `SELECT count(*) FROM ${schema}.pets`), [["1"]]);
    await untilAnswered(() => store.create(PET));
  },
);

testLocked(
  "the keys are read while 10,000 reads wait for connections that hang, and the load shows these",
  2,
  60_000,
  async ({ store, unlock }) => {
    const gets = refusals(Array.from({ length: 10_002 }, () => store.get(1n)));
    assert.deepEqual(await store.keys.list(), []);
    assert.deepEqual(store.pool, { size: 2, running: 1, waiting: 10_000 });
    await unlock();
    // One has a connection, as the other one is for the keys, and the last one was refused.
    assert.deepEqual((await gets).map(({ message }) => message), ["Too many queries wait for PostgreSQL"]);
    assert.deepEqual(store.pool, { size: 2, running: 0, waiting: 0 });
  },
);

test.store(
  "a cancellation ends no statement of another program whose process has the same number, as after a failover",
  async (first, url, schema) => {
    await first.create(PET);
    const locker = new Client({ connectionString: url }), other = new Client({ connectionString: url });
    await Promise.all([locker.connect(), other.connect()]);
    const { rows: [{ pid }] } = await other.query("SELECT pg_backend_pid() AS pid");
    const Mistaken = class extends Client {
      get processID(): number {
        return pid;
      }
      // The driver sets it to the right number.
      set processID(_: number) {}
    };
    const pool = new Pool({ connectionString: url, max: 2, Client: Mistaken as never });
    const store = await createPostgresStore(pool, { schema, timeoutMs: 500 }) as Store;
    await locker.query(`BEGIN; LOCK TABLE "${schema}".pets IN ACCESS EXCLUSIVE MODE`);
    const waiting = other.query(`SELECT name FROM "${schema}".pets`);
    assert.equal((await refusals([store.get(1n)])).length, 1);
    await until("the end of the cancellation", () => store.pool.running === 0);
    await locker.query("COMMIT");
    assert.deepEqual((await waiting).rows, [{ name: "Rex" }]);
    await store.close();
    await Promise.all([pool.end(), locker.end(), other.end()]);
  },
);
