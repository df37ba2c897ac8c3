/** Petstores on PostgreSQL behind a proxy that fails as a plan says, directly and through PgBouncer. */

import fc from "fast-check";
// @ts-types="@types/pg"
import { Client, Pool } from "pg";
import { postgresSchema } from "../../../packages/postgres/mod.ts";
import type { PooledStore } from "../../../packages/postgres/lib/client/statement_queue.ts";
import { addParameters } from "../../../packages/postgres/lib/add_pets.ts";
import { openOnOwnPool } from "../../../packages/postgres/lib/own_pool.ts";
import { addStatement, readStatements } from "../../../packages/postgres/lib/statements.ts";
import type { KeyedPetStore, PetStore } from "../../../lib/stores/store.ts";
import { createPetstore } from "../../../mod.ts";
import { withPooler } from "../../../tests/support/postgres/pgbouncer.ts";
import { untilAnswered } from "../../../tests/support/postgres/postgres.ts";
import { type Proxy, withProxy } from "../../../tests/support/postgres/proxy.ts";
import { at, withDatabase } from "../../../tests/support/postgres/servers.ts";
import { until } from "../../../tests/support/until.ts";
import { checkHistory } from "./check.ts";
import { KEY, Recorder } from "./history.ts";
import { PLAN, type Plan, SERVERS, TIMEOUT } from "./plan.ts";

/** Connections of a server: few, so that a request after a fault gets the one that has failed. */
const SIZE = 2;

/**
 * The longest that a history may take, in milliseconds, in case a request is never answered. The
 * machine may be busy.
 */
const LONGEST = 120_000;

/** The time for which nothing must run, in milliseconds. */
const REST = 50;

const EMPTY = `DELETE FROM petstore.pets; DELETE FROM petstore.requests; ALTER SEQUENCE petstore.pet_ids RESTART`;

/** Counts the sessions but this one, and those of them that do something. */
const SESSIONS = `SELECT count(*)::text, (count(*) FILTER (WHERE state = 'idle'))::text FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

/** Where histories run, one after the other. */
interface Place {
  proxy: Proxy;
  /** A connection to the database that does not go through the proxy. */
  admin: Client;
  /** They stay open, because opening them is most of the work. */
  stores: readonly PetStore[];
}

/**
 * Runs histories and returns how many faults there were. Fails with the smallest plan that leads to
 * a wrong history. Its seed repeats the requests and the faults, but not the order in which the
 * scheduler runs them.
 *
 * @param pooled Whether PgBouncer is between the stores and the proxy.
 */
export function runHistories(pooled: boolean, histories: number, seed: number): Promise<number> {
  return withDatabase((direct, port) =>
    withProxy(port, async (proxy) => {
      const url = at(direct, `127.0.0.1:${proxy.port}`);
      const admin = new Client({ connectionString: direct });
      await admin.connect();
      await admin.query(postgresSchema());
      const runAt = async (url: string) => {
        await using opened = new AsyncDisposableStack();
        const stores: PetStore[] = [];
        while (stores.length < SERVERS) stores.push(opened.use(await openStore(url, pooled)));
        const property = fc.asyncProperty(PLAN, (plan) => runHistory({ proxy, admin, stores }, plan));
        await fc.assert(property, { seed, numRuns: histories, timeout: LONGEST, includeErrorInReport: true });
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
    const pool = new Pool({ connectionString: url, max: SIZE, connectionTimeoutMillis: TIMEOUT });
    store = await openOnOwnPool(pool, { timeoutMs: TIMEOUT, prepare: !pooled });
  });
  return store!;
}

/** Runs a history, and throws if it is wrong. */
async function runHistory(place: Place, { pets, clients, faults }: Plan): Promise<void> {
  const { proxy, admin, stores } = place;
  const recorder = new Recorder();
  const handles = stores.map((store) => createPetstore({ store, keys: [KEY], onError: () => {} }).handle);
  await admin.query(EMPTY);
  await admin.query(addStatement("petstore"), addParameters(pets, []));
  proxy.follow(faults);
  proxy.isDoubling = faults.length % 2 === 1;
  await Promise.all(clients.map((steps) => recorder.run(handles, steps)));
  proxy.follow([]);
  // The faults are over: each server recovers by itself, and shows all.
  for (const handle of handles) {
    const list = { kind: "list", after: 0, limit: 100, status: undefined } as const;
    await until("a server that no longer refuses", async () => (await recorder.ask(handle, list)).status !== 503);
  }
  await untilRest(place);
  const { rows } = await admin.query<string[]>({
    text: readStatements("petstore").all,
    values: ["0", "1000"],
    rowMode: "array",
  });
  checkHistory(pets, recorder.exchanges, rows.map((row) => row[1]!));
}

/**
 * Waits until all that was sent has been carried out, however late: a create that was refused must
 * not be stored then. PgBouncer may still have what the client of an ended connection has sent.
 */
async function untilRest(place: Place): Promise<void> {
  let restless = performance.now();
  await until("the end of all that was sent", async () => {
    if (!await isAtRest(place)) restless = performance.now();
    return performance.now() - restless > REST;
  });
}

async function isAtRest({ proxy, admin, stores }: Place): Promise<boolean> {
  if (proxy.holds > 0 || stores.some(isBusy)) return false;
  const { rows: [[all, idle] = []] } = await admin.query<string[]>({ text: SESSIONS, rowMode: "array" });
  return Number(all) === proxy.open && all === idle;
}

/** Whether a store still waits for a response. */
function isBusy({ pool }: PetStore & Partial<PooledStore>): boolean {
  return pool !== undefined && pool.running + pool.waiting > 0;
}
