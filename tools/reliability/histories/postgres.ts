/** PostgreSQL behind a proxy that fails as a seed says, directly and through PgBouncer. */

import fc from "fast-check";
// @ts-types="@types/pg"
import { Client, Pool } from "pg";
import { postgresSchema } from "../../../packages/postgres/mod.ts";
import type { PooledStore } from "../../../packages/postgres/lib/client/database.ts";
import { petArrays } from "../../../packages/postgres/lib/commit.ts";
import { openOnOwnPool } from "../../../packages/postgres/lib/own_pool.ts";
import { statementsFor } from "../../../packages/postgres/lib/statements.ts";
import type { PetStore } from "../../../lib/stores/store.ts";
import { withPooler } from "../../../tests/support/postgres/pgbouncer.ts";
import { untilAnswered } from "../../../tests/support/postgres/postgres.ts";
import { type Fault, type Proxy, withProxy } from "../../../tests/support/postgres/proxy.ts";
import { at, withDatabase } from "../../../tests/support/postgres/servers.ts";
import { until } from "../../../tests/support/until.ts";
import type { Outcome, Place } from "./run.ts";
import { BEYOND_TIMEOUT, MOST_SERVERS, NAME, type Plan, TIMEOUT } from "./plan.ts";

/** Connections of a server: few, so that a request after a fault gets the one that has failed. */
const SIZE = 2;

const BYTES = fc.oneof(fc.nat(40), fc.nat(400), fc.nat(4000));
const EFFECT = fc.constantFrom<Fault["effect"]>("end", "reset", 3, BEYOND_TIMEOUT);
const SIDE = fc.constantFrom<Fault["side"]>("client", "server");

/** One in three is within a create: half of it is sent, or PostgreSQL has not answered yet, or the answer is cut. */
export const FAULT: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ side: SIDE, bytes: BYTES, effect: EFFECT }) },
  { weight: 1, arbitrary: fc.record({ side: SIDE, bytes: BYTES, within: fc.constant(NAME), effect: EFFECT }) },
);

/** The time for which nothing must run, in milliseconds. */
const REST = 50;

const SQL = statementsFor("petstore");

const EMPTY = `DELETE FROM petstore.pets; DELETE FROM petstore.requests; ALTER SEQUENCE petstore.pet_ids RESTART`;

/** Counts the sessions but this one, and those of them that do something. */
const SESSIONS = `SELECT count(*)::text, (count(*) FILTER (WHERE state = 'idle'))::text FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

/** A store whose `close()` ends its pool too. */
async function openPool(url: string, pooled: boolean): Promise<PetStore> {
  const pool = new Pool({ connectionString: url, max: SIZE, connectionTimeoutMillis: TIMEOUT });
  return await openOnOwnPool(pool, { timeoutMs: TIMEOUT, prepare: !pooled });
}

/** Makes a database behind a proxy, for histories. @param pooled Whether PgBouncer is between the stores and the proxy. */
export function withPostgres<T>(pooled: boolean, use: (place: Place<Fault>) => Promise<T>): Promise<T> {
  return withDatabase((direct, port) =>
    withProxy(port, async (proxy) => {
      const url = at(direct, `127.0.0.1:${proxy.port}`);
      const admin = new Client({ connectionString: direct });
      await admin.connect();
      await admin.query(postgresSchema());
      const useAt = async (url: string) => {
        await using place = new PostgresPlace(proxy, admin, () => openPool(url, pooled));
        await place.renew();
        return await use(place);
      };
      return await (pooled ? withPooler(url, useAt) : useAt(url)).finally(() => admin.end());
    })
  );
}

class PostgresPlace implements Place<Fault>, AsyncDisposable {
  readonly #proxy: Proxy;
  /** A connection to the database that does not go through the proxy. */
  readonly #admin: Client;
  readonly #open: () => Promise<PetStore>;
  #stores: PetStore[] = [];

  constructor(proxy: Proxy, admin: Client, open: () => Promise<PetStore>) {
    this.#proxy = proxy;
    this.#admin = admin;
    this.#open = open;
  }

  async renew(): Promise<void> {
    await this[Symbol.asyncDispose]();
    // The time limit is short, and the machine may be busy.
    const openAtLast = () => untilAnswered(async () => this.#stores.push(await this.#open()));
    await Promise.all(Array.from({ length: MOST_SERVERS }, openAtLast));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#stores.splice(0).map((store) => store.close()));
  }

  async use({ pets, servers, faults }: Plan<Fault>, run: Parameters<Place<Fault>["use"]>[1]): Promise<Outcome> {
    await this.#admin.query(EMPTY);
    await this.#admin.query(SQL.add, [...petArrays(pets), "{}", "{}", "{}"]);
    const before = this.#proxy.faults;
    this.#proxy.follow(faults);
    this.#proxy.isDoubling = faults.length % 2 === 1;
    await run(this.#stores.slice(0, servers), () => this.#proxy.follow([]));
    // It waits for a moment, since PgBouncer may still have what the client of an ended connection has sent.
    let restless = performance.now();
    await until("the end of all that was sent", async () => {
      if (!await this.#isAtRest()) restless = performance.now();
      return performance.now() - restless > REST;
    });
    await until("stores that wait for nothing", () => !this.#stores.some(isBusy));
    const { rows } = await this.#admin.query<string[]>({ text: SQL.all, values: ["0", "1000"], rowMode: "array" });
    return { stored: rows.map((row) => row[1]!), faults: this.#proxy.faults - before };
  }

  /** What was sent is carried out, however late: a create that was refused must not be stored then. */
  async #isAtRest(): Promise<boolean> {
    const { holds, open } = this.#proxy;
    if (holds > 0) return false;
    const { rows: [[all, idle] = []] } = await this.#admin.query<string[]>({ text: SESSIONS, rowMode: "array" });
    return Number(all) === open && all === idle;
  }
}

/** Whether a store still waits for a response. */
function isBusy({ pool }: PetStore & Partial<PooledStore>): boolean {
  return pool !== undefined && pool.running + pool.waiting > 0;
}
