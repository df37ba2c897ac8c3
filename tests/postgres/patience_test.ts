/** What becomes of statements that PostgreSQL does not answer in time: a table is locked while they come. */

import assert from "node:assert/strict";
import { test } from "node:test";
import postgres from "postgres";
import { createPostgresStore, type PostgresClient } from "../../lib/stores/postgres/postgres_store.ts";
import { StoreUnavailableError } from "../../mod.ts";
import { DRIVERS, runSql, whyNoPostgres, withSchema } from "../support/postgres/postgres.ts";
import { countWaiting, withLockedTable } from "../support/postgres/lock.ts";
import { until } from "../support/until.ts";

const skip = whyNoPostgres();
const why = skip ? ` (skipped: ${skip})` : "";

const PET = { name: "Rex", categoryId: 7n, status: "sold" } as const;

/** The reasons of those that were refused. */
async function refusals(works: readonly unknown[]): Promise<Error[]> {
  const results = await Promise.allSettled(works);
  return results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
}

for (const driver of DRIVERS) {
  test(
    `a ${driver.name} store has statements that it gives up cancelled: none waits on, and nothing is stored later${why}`,
    { skip },
    () =>
      withSchema((url, schema) =>
        driver.use(url, async (client) => {
          const store = await createPostgresStore(client, { schema, timeout: 300 });
          await store.create(PET);
          const count = () => runSql(url, `SELECT count(*) FROM ${schema}.pets`);
          await withLockedTable(url, `${schema}.pets`, async (unlock) => {
            for (let i = 0; i < 2; i++) {
              // More than there are connections: those that wait for one must not come later either.
              const gets = Array.from({ length: 12 }, () => store.get(1n));
              const reasons = await refusals([store.create(PET), ...gets]);
              assert.equal(reasons.length, 13);
              for (const reason of reasons) assert.ok(reason instanceof StoreUnavailableError, String(reason));
            }
            // With the lock still held: it is the statements that have gone.
            await until("nobody waits for the lock", async () => await countWaiting(url, schema) === 0);
            await unlock();
          });
          await until("an answer", async () => (await refusals([store.get(1n)])).length === 0);
          assert.deepEqual(await count(), [["1"]]);
          await store.close();
        })
      ),
  );

  test(
    `a ${driver.name} store refuses creates that wait behind one that hangs, and closes while it hangs${why}`,
    { skip },
    () =>
      withSchema((url, schema) =>
        driver.use(url, async (client) => {
          const counted = countStatements(client);
          const store = await createPostgresStore(counted.client, { schema, timeout: 500 });
          await store.create(PET);
          await withLockedTable(url, `${schema}.pets`, async () => {
            const before = counted.count();
            // One key and another pet each time: each would need a statement of its own, one after the other.
            const key = "k".repeat(22);
            const creates = Array.from({ length: 40 }, (_, i) => {
              const fingerprint = String(i).padStart(22, "0");
              return store.createOnce!(PET, { key, fingerprint, retentionMs: 60_000 });
            });
            const reasons = await refusals(creates);
            assert.equal(reasons.length, 40);
            assert.equal(
              reasons.filter(({ message }) => /not done with the creates before it/.test(message)).length,
              39,
            );
            assert.equal(counted.count() - before, 1);
            const late = refusals([store.create(PET), store.create(PET)]);
            await store.close();
            assert.equal((await late).length, 2);
          });
        })
      ),
  );
}

/** Counts the statements that a client is given. */
function countStatements(client: PostgresClient): { client: PostgresClient; count(): number } {
  let count = 0;
  const counting = (name: string) => (target: object, member: string | symbol) => {
    const value = Reflect.get(target, member);
    if (typeof value !== "function") return value;
    return (...args: unknown[]) => {
      if (member === name) count++;
      return value.apply(target, args);
    };
  };
  const get = "unsafe" in client ? counting("unsafe") : counting("connect");
  return { client: new Proxy<PostgresClient>(client, { get }), count: () => count };
}

test(
  `statements on connections that never answer do not pile up in the driver${why}`,
  { skip },
  () =>
    withSchema(async (url, schema) => {
      const sql = postgres(url, { max: 1, fetch_types: false });
      const counted = countStatements(sql);
      const store = await createPostgresStore(counted.client, { schema, timeout: 100 });
      await store.create(PET);
      await withLockedTable(url, `${schema}.pets`, async () => {
        // Cancelling is not to be had, as with a host that is gone. Four may be sent on the one connection.
        const before = counted.count();
        Object.assign(sql.options, { socket: () => Promise.reject(new Error("No connection")) });
        for (let i = 0; i < 3; i++) {
          const gets = Array.from({ length: 50 }, () => store.get(1n));
          assert.equal((await refusals(gets)).length, 50);
        }
        assert.ok(counted.count() - before <= 4, `${counted.count() - before} statements`);
        await store.close();
      });
      await sql.end({ timeout: 1 });
    }),
);

test("a single Client of node-postgres is refused", () => {
  const single = { query: () => {}, connect: () => {}, processID: null };
  return assert.rejects(createPostgresStore(single as unknown as PostgresClient), {
    name: "TypeError",
    message: /a Pool/,
  });
});
