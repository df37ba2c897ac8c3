/**
 * Keeps pets in PostgreSQL, through a `Pool` of node-postgres. Any number of servers may share one
 * database.
 *
 * The way of a create, with the default `timeoutMs` of 5000:
 *
 * ```txt
 *      0 ms  create()     checks the pet. It joins the batch, while the one before it is committed.
 *    … 2500  batch        is sent as one statement. A create that has waited longer is refused.
 *            add_pets()   in PostgreSQL, takes the lock of all servers, gives the ids, stores the pets.
 *            commit       makes the pets visible, in the order of their ids, and durable.
 *            outcomes     one for each create, which resolves: created, replayed or conflict.
 *    … 5000  deadline     of the oldest create. An unanswered statement is cancelled while it waits
 *                         for the lock. Its creates reject, and may be stored.
 * ```
 *
 * @example
 * ```ts ignore
 * import { createPetstore } from "@petstore/petstore";
 * import { createPostgresStore } from "@petstore/postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: "postgres://localhost/pets", connectionTimeoutMillis: 5000 });
 * const store = await createPostgresStore(pool);
 * const { handle } = createPetstore({ store, keys: ["pk_example"] });
 * // … and at the end:
 * await store.close();
 * await pool.end();
 * ```
 *
 * @module
 */

import type { KeyedPetStore, KeyStore, PetPage, PetQuery } from "@petstore/petstore/store";
import {
  type CommittingStore,
  type Outcomes,
  pageOf,
  statusCode,
  storeClosed,
  type Write,
  WritingStore,
} from "@petstore/petstore/store/toolkit";
import { type PooledStore, StatementQueue } from "./lib/client/statement_queue.ts";
import { maxConnectionsOf, type PostgresPool, requirePool } from "./lib/client/connection.ts";
import { GroupCommit } from "./lib/commit.ts";
import { postgresKeys } from "./lib/keys.ts";
import { checkOptions, type PostgresStoreOptions } from "./lib/options.ts";
import { openTables } from "./lib/schema/opening.ts";
import { type ReadStatements, readStatements } from "./lib/statements.ts";

export { postgresGrants } from "./lib/schema/privileges.ts";
export { postgresSchema } from "./lib/schema/schema.ts";
export type { PostgresPool, PostgresStoreOptions };

/**
 * Keeps pets in a PostgreSQL database. Creates or migrates its tables if necessary.
 *
 * A create resolves when PostgreSQL has committed it. Creates that arrive together share one
 * commit. Ids ascend in the order of commits, across all servers.
 *
 * A statement that takes too long is cancelled, and rejects with {@link StoreUnavailableError}. A
 * create that waits for a synchronous standby is not cancelled: that would show a pet that a
 * failover may lose.
 *
 * `close()` takes at most `timeoutMs`, and leaves the pool open.
 *
 * @param pool A `Pool` of node-postgres 8.23 or later. Give it a `connectionTimeoutMillis`, so that
 * a silent host is given up.
 * @throws {TypeError} If `pool` is another object, or an option is invalid.
 * @throws {RangeError} If `timeoutMs` is out of range.
 * @throws {StoreUnavailableError} If PostgreSQL cannot be reached, the tables belong to a later
 * release or another program, or the role lacks privileges.
 */
export async function createPostgresStore(
  pool: PostgresPool,
  options: PostgresStoreOptions = {},
): Promise<KeyedPetStore> {
  requirePool(pool);
  const checked = checkOptions(options);
  // One connection is for the keys: a flood of requests must not keep a revoked key alive.
  const db = new StatementQueue(pool, checked, Math.max(1, maxConnectionsOf(pool) - 1));
  const keyDb = new StatementQueue(pool, checked, 1);
  const isNew = await openTables(db);
  return new PostgresStore(db, keyDb, isNew);
}

class PostgresStore extends WritingStore implements KeyedPetStore, CommittingStore, PooledStore {
  readonly keys: KeyStore;
  /** Whether this program has just made the tables. */
  readonly isNew: boolean;
  readonly batch: GroupCommit["batch"];
  readonly #db: StatementQueue;
  readonly #keyDb: StatementQueue;
  readonly #statements: ReadStatements;
  readonly #commits: GroupCommit;

  constructor(db: StatementQueue, keyDb: StatementQueue, isNew: boolean) {
    super();
    this.isNew = isNew;
    this.#db = db;
    this.#keyDb = keyDb;
    this.keys = postgresKeys(keyDb);
    this.#statements = readStatements(db.schema);
    this.#commits = new GroupCommit(db);
    this.batch = this.#commits.batch;
  }

  get pool(): PooledStore["pool"] {
    return this.#db.load;
  }

  write<W extends Write>(write: W): Promise<Outcomes[W["kind"]]> {
    // `GroupCommit` gives each write an outcome of its kind.
    return this.#commits.write(write) as Promise<Outcomes[W["kind"]]>;
  }

  async get(id: bigint): Promise<string | undefined> {
    this.#requireOpen();
    const [row] = await this.#db.query(this.#statements.pet, [String(id)]);
    return row?.[0] ?? undefined;
  }

  async list({ after, limit, status }: PetQuery): Promise<PetPage> {
    this.#requireOpen();
    const bounds = [String(after), String(limit + 1)];
    const rows = status === undefined
      ? await this.#db.query(this.#statements.all, bounds)
      : await this.#db.query(this.#statements.ofStatus, [...bounds, String(statusCode(status))]);
    return pageOf(rows.map(([id, json]) => ({ id, json })), limit);
  }

  async check(): Promise<void> {
    await this.get(1n);
  }

  async close(): Promise<void> {
    await this.batch.close();
    this.#db.refuseWaiting();
    this.#keyDb.refuseWaiting();
  }

  #requireOpen(): void {
    if (this.batch.isClosed) throw storeClosed();
  }
}
