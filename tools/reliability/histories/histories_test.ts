/**
 * Histories of petstores on PostgreSQL behind a proxy that fails as a plan says, directly and
 * through PgBouncer. A few run each time. `HISTORIES=10000` runs more, which takes an hour. So few
 * find a store that repeats a create whose connection was lost, one that calls a create refused
 * whose statement was given up, and creates of two servers without a lock.
 */

import assert from "node:assert/strict";
import process from "node:process";
import fc from "fast-check";
// @ts-types="@types/pg"
import { Client, Pool } from "pg";
import { createPetstore } from "../../../mod.ts";
import { openOnOwnPool } from "../../../packages/postgres/lib/own_pool.ts";
import { readStatements } from "../../../packages/postgres/lib/statements.ts";
import { unevenSchema } from "../../../packages/postgres/tests/support.ts";
import type { KeyedPetStore } from "../../../lib/stores/store.ts";
import { whyNoCluster } from "../../../tests/support/postgres/cluster.ts";
import { NO_PGBOUNCER, withPooler } from "../../../tests/support/postgres/pgbouncer.ts";
import { untilAnswered } from "../../../tests/support/postgres/postgres.ts";
import { type Proxy, withProxy } from "../../../tests/support/postgres/proxy.ts";
import { at, withDatabase } from "../../../tests/support/postgres/servers.ts";
import { newSeed } from "../../../tests/support/random.ts";
import { testUnless } from "../../../tests/support/system/commands.ts";
import { until } from "../../../tests/support/until.ts";
import { KEY } from "../fuzz/model.ts";
import { type Handle, History } from "./history.ts";
import { PLAN, type Plan, TIMEOUT } from "./plan.ts";

/** The number of histories of each way. Half of them are the same in every run. */
const HISTORIES = Number(process.env["HISTORIES"] ?? 20), SEED = 20301205;

for (const pooled of [false, true]) {
  testUnless(whyNoCluster() || (pooled && NO_PGBOUNCER))(
    `clients cannot tell servers whose connections to ${
      pooled ? "PgBouncer" : "PostgreSQL"
    } fail from one that does one request after the other`,
    async () => {
      const lanes = [SEED, newSeed() % 2 ** 31].map((seed) => runHistories(pooled, seed));
      const [faults] = await Promise.all(lanes);
      // Histories without a fault would show nothing. How many faults a new seed leads to is a
      // matter of luck, so only the fixed one counts.
      assert.ok(faults! > 0, "The proxy has carried out no fault");
    },
  );
}

/**
 * The longest that a history may take, in milliseconds, in case a request is never answered. The
 * machine may be busy.
 */
const LONGEST = 120_000;

/**
 * Runs histories and returns how many faults there were. Fails with the smallest plan that leads to
 * a wrong history. Its seed repeats the requests and the faults, but not the order in which the
 * scheduler runs them.
 *
 * @param pooled Whether PgBouncer is between the stores and the proxy.
 */
function runHistories(pooled: boolean, seed: number): Promise<number> {
  return withDatabase((direct, port) =>
    withProxy(port, async (proxy) => {
      const url = at(direct, `127.0.0.1:${proxy.port}`);
      const admin = new Client({ connectionString: direct });
      await admin.connect();
      await admin.query(unevenSchema("petstore"));
      const runAt = async (url: string) => {
        // Two servers share the database. They stay open, because opening them is most of the work.
        await using one = await openStore(url, pooled), other = await openStore(url, pooled);
        const handles = [one, other].map((store) => createPetstore({ store, keys: [KEY], onError: () => {} }).handle);
        const property = fc.asyncProperty(PLAN, (plan) => runHistory(proxy, admin, handles, plan));
        const settings = { seed, numRuns: HISTORIES / 2, timeout: LONGEST, includeErrorInReport: true };
        await fc.assert(property, settings);
      };
      await (pooled ? withPooler(url, runAt) : runAt(url)).finally(() => admin.end());
      return proxy.faults;
    })
  );
}

async function openStore(url: string, pooled: boolean): Promise<KeyedPetStore> {
  let store: KeyedPetStore;
  // The time limit is short, and the machine may be busy.
  await untilAnswered(async () => {
    // There are few connections, so that a request after a fault gets the one that has failed.
    const pool = new Pool({ connectionString: url, max: 2, connectionTimeoutMillis: TIMEOUT });
    store = await openOnOwnPool(pool, { timeoutMs: TIMEOUT, prepare: !pooled });
  });
  return store!;
}

const EMPTY = `DELETE FROM petstore.pets; DELETE FROM petstore.requests; ALTER SEQUENCE petstore.pet_ids RESTART`;

/** Runs a history, and throws if it is wrong. */
async function runHistory(proxy: Proxy, admin: Client, handles: Handle[], { clients, faults }: Plan): Promise<void> {
  const history = new History();
  await admin.query(EMPTY);
  proxy.follow(faults);
  // Clients begin at either server, so that both add pets at the same time.
  await Promise.all(clients.map((steps, i) => history.run(i % 2 === 0 ? handles : handles.toReversed(), steps)));
  proxy.follow([]);
  // The faults are over: each server recovers by itself, and shows all.
  const headers: [string, string][] = [["Authorization", `Bearer ${KEY}`]];
  for (const handle of handles) {
    const list = { method: "GET", target: "/v1/pets?limit=100", headers };
    await until("a server that no longer refuses", async () => (await history.ask(handle, list)).status !== 503);
  }
  await untilRest(proxy, admin);
  const text = readStatements("petstore").all;
  const { rows } = await admin.query<string[]>({ text, values: ["0", "1000"], rowMode: "array" });
  history.check(rows.map((row) => row[1]!));
}

/** The time for which nothing must run, in milliseconds. */
const REST = 50;

/** The sessions but this one that do something. */
const ACTIVE = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND state IS DISTINCT FROM 'idle'`;

/**
 * Waits until all that was sent has been carried out, however late: a create that was refused must
 * not be stored then.
 */
async function untilRest(proxy: Proxy, admin: Client): Promise<void> {
  let restless = performance.now();
  await until("the end of all that was sent", async () => {
    const isActive = proxy.holds > 0 || (await admin.query(ACTIVE)).rowCount! > 0;
    if (isActive) restless = performance.now();
    return performance.now() - restless > REST;
  });
}
