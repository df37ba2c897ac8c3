/** Petstores on PostgreSQL behind a proxy that fails as a plan says, directly and through PgBouncer. */

import assert from "node:assert/strict";
import fc from "fast-check";
// @ts-types="@types/pg"
import { Client, Pool } from "pg";
import { postgresSchema } from "../../../packages/postgres/mod.ts";
import type { PooledStore } from "../../../packages/postgres/lib/client/database.ts";
import { petArrays } from "../../../packages/postgres/lib/commit.ts";
import { openOnOwnPool } from "../../../packages/postgres/lib/own_pool.ts";
import { statementsFor } from "../../../packages/postgres/lib/statements.ts";
import type { PetStore } from "../../../lib/stores/store.ts";
import { createPetstore } from "../../../mod.ts";
import { withPooler } from "../../../tests/support/postgres/pgbouncer.ts";
import { untilAnswered } from "../../../tests/support/postgres/postgres.ts";
import { type Proxy, withProxy } from "../../../tests/support/postgres/proxy.ts";
import { at, withDatabase } from "../../../tests/support/postgres/servers.ts";
import { until } from "../../../tests/support/until.ts";
import { checkHistory } from "./check.ts";
import { type Handle, KEY, Recorder } from "./history.ts";
import { MOST_SERVERS, PLAN, type Plan, TIMEOUT } from "./plan.ts";

/** Connections of a server: few, so that a request after a fault gets the one that has failed. */
const SIZE = 2;

/** The time for which nothing must run, in milliseconds. */
const REST = 50;

const SQL = statementsFor("petstore");

const EMPTY = `DELETE FROM petstore.pets; DELETE FROM petstore.requests; ALTER SEQUENCE petstore.pet_ids RESTART`;

/** Counts the sessions but this one, and those of them that do something. */
const SESSIONS = `SELECT count(*)::text, (count(*) FILTER (WHERE state = 'idle'))::text FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

/**
 * Runs histories and returns how many faults there were. Fails with the smallest plan that leads to a wrong history. Its seed repeats the
 * requests and the faults, but not the order in which the scheduler runs them.
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
        await using place = new Place(proxy, admin, url, pooled);
        await place.open();
        const property = fc.asyncProperty(PLAN, (plan) => place.run(plan));
        await fc.assert(property, { seed, numRuns: histories, includeErrorInReport: true });
      };
      await (pooled ? withPooler(url, runAt) : runAt(url)).finally(() => admin.end());
      return proxy.faults;
    })
  );
}

/** Where histories run, one after the other. Its stores stay open, because opening them is most of the work. */
class Place implements AsyncDisposable {
  readonly #proxy: Proxy;
  /** A connection to the database that does not go through the proxy. */
  readonly #admin: Client;
  readonly #url: string;
  readonly #pooled: boolean;
  #stores: PetStore[] = [];

  constructor(proxy: Proxy, admin: Client, url: string, pooled: boolean) {
    this.#proxy = proxy;
    this.#admin = admin;
    this.#url = url;
    this.#pooled = pooled;
  }

  async open(): Promise<void> {
    for (let i = 0; i < MOST_SERVERS; i++) {
      // The time limit is short, and the machine may be busy.
      await untilAnswered(async () => {
        const pool = new Pool({ connectionString: this.#url, max: SIZE, connectionTimeoutMillis: TIMEOUT });
        this.#stores.push(await openOnOwnPool(pool, { timeoutMs: TIMEOUT, prepare: !this.#pooled }));
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#stores.splice(0).map((store) => store.close()));
  }

  /** Runs a history, and throws if it is wrong. */
  async run(plan: Plan): Promise<void> {
    try {
      await this.#try(plan);
    } catch (error) {
      // A smaller plan is tried on other stores.
      await this[Symbol.asyncDispose]();
      await this.open();
      throw error;
    }
  }

  async #try({ pets, servers, clients, faults }: Plan): Promise<void> {
    const recorder = new Recorder();
    const handles = this.#stores.slice(0, servers).map((store) =>
      createPetstore({ store, keys: [KEY], onError: () => {} }).handle
    );
    await this.#admin.query(EMPTY);
    await this.#admin.query(SQL.add, [...petArrays(pets), "{}", "{}", "{}"]);
    this.#proxy.follow(faults);
    this.#proxy.isDoubling = faults.length % 2 === 1;
    await Promise.all(clients.map((steps) => recorder.run(handles, steps)));
    this.#proxy.follow([]);
    for (const handle of handles) await untilRead(recorder, handle);
    await this.#untilRest();
    const { rows } = await this.#admin.query<string[]>({ text: SQL.all, values: ["0", "1000"], rowMode: "array" });
    checkHistory(pets, recorder.exchanges, rows.map((row) => row[1]!));
  }

  /**
   * Waits until all that was sent has been carried out, however late: a create that was refused must not be stored then. PgBouncer may still
   * have what the client of an ended connection has sent.
   */
  async #untilRest(): Promise<void> {
    let restless = performance.now();
    await until("the end of all that was sent", async () => {
      if (!await this.#isAtRest()) restless = performance.now();
      return performance.now() - restless > REST;
    });
    await until("stores that wait for nothing", () => !this.#stores.some(isBusy));
  }

  async #isAtRest(): Promise<boolean> {
    const { holds, open } = this.#proxy;
    if (holds > 0) return false;
    const { rows: [[all, idle] = []] } = await this.#admin.query<string[]>({ text: SESSIONS, rowMode: "array" });
    return Number(all) === open && all === idle;
  }
}

/** How often a server may refuse after the last fault, before it counts as broken. */
const REFUSALS = 100;

/** The faults are over: each server recovers by itself, and shows all. */
async function untilRead(recorder: Recorder, handle: Handle): Promise<void> {
  for (let tries = 0; tries < REFUSALS; tries++) {
    const { status } = await recorder.ask(handle, { kind: "list", after: 0, limit: 100, status: undefined });
    if (status !== 503) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail("A server refuses long after the last fault");
}

/** Whether a store still waits for a response. */
function isBusy({ pool }: PetStore & Partial<PooledStore>): boolean {
  return pool !== undefined && pool.running + pool.waiting > 0;
}
