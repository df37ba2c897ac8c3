/**
 * Keeps pets in PostgreSQL, through a `Pool` of node-postgres. Any number of servers may share one database.
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
  checkAll,
  type Checks,
  type CommittingStore,
  oneOf,
  type Outcome,
  pageOf,
  statusCode,
  storeClosed,
  wholeNumber,
  type Write,
  WritingStore,
} from "@petstore/petstore/store/toolkit";
import { Database, DEFAULT_SCHEMA, type PooledStore, type PostgresStoreOptions } from "./lib/client/database.ts";
import { type PostgresPool, requirePool, sizeOf } from "./lib/client/pool.ts";
import { createGroupCommit, type GroupCommit } from "./lib/commit.ts";
import { createSweeper } from "./lib/sweeper.ts";
import { postgresKeys } from "./lib/keys.ts";
import { openTables, postgresGrants, postgresSchema, requireSchemaName } from "./lib/schema/schema.ts";
import { MANY_PETS, type Statements, statementsFor } from "./lib/statements.ts";

export { postgresGrants, postgresSchema };
export type { PostgresStoreOptions } from "./lib/client/database.ts";
export type { PostgresPool } from "./lib/client/pool.ts";

/**
 * Keeps pets in a PostgreSQL database. Creates or migrates its tables if necessary.
 *
 * A create resolves when PostgreSQL has committed it. Creates that arrive together share one commit. Ids ascend in the
 * order of commits, across all servers.
 *
 * A statement that takes too long is cancelled, and rejects with {@link StoreUnavailableError}. A create that waits for
 * a synchronous standby is not cancelled: that would show a pet that a failover may lose.
 *
 * `close()` takes at most `timeoutMs`, and leaves the pool open.
 *
 * @param pool A `Pool` of node-postgres 8.23 or later. Give it a `connectionTimeoutMillis`, so that a silent host is given up.
 * @throws {TypeError} If `pool` is another object, or an option is invalid.
 * @throws {RangeError} If `timeoutMs` is out of range.
 * @throws {StoreUnavailableError} If PostgreSQL cannot be reached, the tables belong to a later release or another
 * program, or the role lacks privileges.
 */
export async function createPostgresStore(
  pool: PostgresPool,
  options: PostgresStoreOptions = {},
): Promise<KeyedPetStore> {
  requirePool(pool);
  const checked = checkAll(CHECKS, options, "");
  // One connection is for the keys: a flood of requests must not keep a revoked key alive.
  const db = new Database(pool, checked, Math.max(1, sizeOf(pool) - 1));
  const isNew = await openTables(db);
  return new PostgresStore(db, new Database(pool, checked, 1), isNew);
}

const CHECKS: Checks<PostgresStoreOptions, Required<PostgresStoreOptions>> = {
  schema: (schema = DEFAULT_SCHEMA) => {
    requireSchemaName(schema);
    return schema;
  },
  timeoutMs: wholeNumber(5000),
  prepare: oneOf([true, false], true),
};

class PostgresStore extends WritingStore implements KeyedPetStore, CommittingStore, PooledStore {
  readonly keys: KeyStore;
  /** Whether this program has just made the tables. */
  readonly isNew: boolean;
  readonly #db: Database;
  /** The keys have connections of their own, so that to read them waits for no pet. */
  readonly #keyDb: Database;
  #statements: Statements;
  /** The id at which reads get a new text, and thus a new plan. */
  #replanAt = MANY_PETS;
  readonly #commits: GroupCommit;
  readonly #countRequest: () => void;
  #closing: Promise<void> | undefined;

  constructor(db: Database, keyDb: Database, isNew: boolean) {
    super();
    this.isNew = isNew;
    this.#db = db;
    this.#keyDb = keyDb;
    this.keys = postgresKeys(keyDb);
    this.#statements = statementsFor(db.schema);
    this.#commits = createGroupCommit(db, this.#statements.add);
    this.#countRequest = createSweeper(db, this.#statements.deleteExpired);
  }

  get batch(): GroupCommit["batch"] {
    return this.#commits.batch;
  }

  get pool(): PooledStore["pool"] {
    return this.#db.load;
  }

  async write(write: Write): Promise<Outcome> {
    const outcome = await this.#commits.write(write);
    if (write.kind === "createOnce" && outcome.outcome === "created") this.#countRequest();
    return outcome;
  }

  async get(id: bigint): Promise<string | undefined> {
    this.#requireOpen();
    const [row] = await this.#db.query(this.#statements.pet, [String(id)]);
    if (row) this.#replanAfter(id);
    return row?.[0] ?? undefined;
  }

  async list({ after, limit, status }: PetQuery): Promise<PetPage> {
    this.#requireOpen();
    const bounds = [String(after), String(limit + 1)];
    const rows = status === undefined
      ? await this.#db.query(this.#statements.all, bounds)
      : await this.#db.query(this.#statements.ofStatus, [...bounds, String(statusCode(status))]);
    const page = pageOf(rows.map(([id, json]) => ({ id, json })), limit);
    this.#replanAfter(page.next ?? BigInt(rows.at(-1)?.[0] ?? 0));
    return page;
  }

  async check(): Promise<void> {
    await this.get(1n);
  }

  close(): Promise<void> {
    return this.#closing ??= this.#end();
  }

  async #end(): Promise<void> {
    await this.batch.close();
    this.#db.release();
    this.#keyDb.release();
  }

  /** A plan for few pets may be slow for many. */
  #replanAfter(id: bigint): void {
    if (id < this.#replanAt) return;
    this.#replanAt = 10n ** BigInt(String(id).length);
    this.#statements = statementsFor(this.#db.schema, id);
  }

  #requireOpen(): void {
    if (this.#closing) throw storeClosed();
  }
}
