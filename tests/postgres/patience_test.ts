import assert from "node:assert/strict";
import postgres from "postgres";
import type { PooledStore } from "../../lib/stores/postgres/client/client.ts";
import type { PostgresJsClient, PostgresJsQuery } from "../../lib/stores/postgres/client/driver.ts";
import { type KeyedPetStore, StoreUnavailableError } from "../../lib/stores/store.ts";
import { DRIVERS, isAnswered, openImpatient, runSql, untilAnswered } from "../support/postgres/postgres.ts";
import { countWaiting, withLockedTable } from "../support/postgres/lock.ts";
import { until } from "../support/until.ts";
import { PET, request, test } from "./support.ts";

async function refusals(works: readonly unknown[]): Promise<Error[]> {
  const results = await Promise.allSettled(works);
  return results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
}

for (const driver of DRIVERS) {
  test.schema(
    `a ${driver.name} store cancels the statements that it gives up, and stores nothing later`,
    (url, schema) =>
      driver.use(url, async (client) => {
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
    `a ${driver.name} store refuses creates that wait for one that hangs, and closes in time`,
    (url, schema) =>
      driver.use(url, async (client) => {
        const store = await openImpatient(client, { url, schema });
        await withLockedTable(url, `${schema}.pets`, async () => {
          // One key with different pets: each create needs a statement of its own.
          const creates = Array.from({ length: 40 }, (_, i) => store.createOnce!(PET, request("a", String(i))));
          const messages = (await refusals(creates)).map(({ message }) => message);
          assert.equal(messages.length, 40);
          // Only one was sent.
          assert.equal(messages.filter((text) => /not finish the earlier creates in time/.test(text)).length, 39);
          const late = refusals([store.create(PET), store.create(PET)]);
          await store.close();
          assert.equal((await late).length, 2);
        });
      }),
  );
}

test.schema("a create that the driver has lost takes no connection from the store for long", async (url, schema) => {
  let isLost = false;
  const makeClient = (): PostgresJsClient => {
    const sql = postgres(url, { max: 2, fetch_types: false });
    return {
      options: sql.options,
      end: (options) => sql.end(options),
      unsafe(text, ...rest) {
        const query = sql.unsafe(text, ...rest) as PostgresJsQuery;
        if (isLost || !text.includes("add_pets")) return query;
        isLost = true;
        const never = Object.assign(new Promise(() => {}), { forEach: () => new Promise(() => {}) });
        return Object.assign(query, { state: {}, values: () => never });
      },
    };
  };
  const store = await openImpatient(makeClient, { url, schema }) as KeyedPetStore & PooledStore;
  await assert.rejects(async () => await store.create(PET), /may have been stored/);
  await until("the connection that it had", async () => {
    // PostgreSQL answers others, also while the client is replaced.
    await isAnswered(store.get(1n));
    return store.pool.running === 0;
  });
  await store.close();
});

test.schema("the keys are read while 10,000 reads wait for connections that hang", async (url, schema) => {
  const makeClient = () => postgres(url, { max: 1, fetch_types: false, connection: { application_name: schema } });
  const store = await openImpatient(makeClient, { url, schema, timeoutMs: 60_000 });
  await withLockedTable(url, `${schema}.pets`, async (unlock) => {
    const gets = refusals(Array.from({ length: 10_005 }, () => store.get(1n)));
    assert.deepEqual(await store.keys.list(), []);
    await unlock();
    // Four were sent, and the last one was refused.
    assert.deepEqual((await gets).map(({ message }) => message), ["Too many queries wait for PostgreSQL"]);
  });
  await store.close();
  const open = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${schema}'`;
  await until("the end of both connections", async () => (await runSql(url, open)).length === 0);
});

for (const driver of DRIVERS) {
  test.schema(
    `the keys are read before 10,000 reads that wait for a client of the app (${driver.name})`,
    (url, schema) =>
      driver.use(url, async (client) => {
        const store = await openImpatient(client, { url, schema, timeoutMs: 60_000 });
        let answered = 0;
        const gets = Array.from({ length: 10_000 }, async () => {
          await store.get(1n);
          answered++;
        });
        assert.deepEqual(await store.keys.list(), []);
        assert.ok(answered < 1_000, `${answered} reads were answered before`);
        await Promise.all(gets);
        await store.close();
      }),
  );
}

test.schema("statements on connections that never answer do not pile up in the driver", async (url, schema) => {
  const sql = postgres(url, { max: 1, fetch_types: false });
  const { unsafe } = sql;
  let count = 0;
  sql.unsafe = ((...given: Parameters<typeof unsafe>) => {
    count++;
    return unsafe(...given);
  }) as typeof unsafe;
  const store = await openImpatient(sql, { url, schema });
  await withLockedTable(url, `${schema}.pets`, async () => {
    // Cancelling fails, as with a lost host. Four statements may be sent on the one connection.
    const before = count;
    Object.assign(sql.options, { socket: () => Promise.reject(new Error("No connection")) });
    for (let i = 0; i < 3; i++) {
      const gets = Array.from({ length: 50 }, () => store.get(1n));
      assert.equal((await refusals(gets)).length, 50);
    }
    assert.ok(count - before <= 4, `${count - before} statements`);
    await store.close();
  });
  await sql.end({ timeout: 1 });
});

test.schema("the load of the pool shows what runs and what waits", async (url, schema) => {
  const sql = postgres(url, { max: 2, fetch_types: false });
  const store = await openImpatient(sql, { url, schema, timeoutMs: 60_000 }) as KeyedPetStore & PooledStore;
  await withLockedTable(url, `${schema}.pets`, async (unlock) => {
    const gets = Array.from({ length: 12 }, () => store.get(1n));
    // Four reads share a connection.
    assert.deepEqual(store.pool, { size: 2, running: 8, waiting: 4 });
    await unlock();
    await Promise.all(gets);
    assert.deepEqual(store.pool, { size: 2, running: 0, waiting: 0 });
  });
  await store.close();
  await sql.end({ timeout: 1 });
});
