/**
 * Keeps pets in PostgreSQL, through a client of your choice: the `sql` of postgres.js or a `Pool` of node-postgres. Any
 * number of servers may share one database.
 *
 * @example
 * ```ts ignore
 * import { createPetstore } from "@petstore/petstore";
 * import { createPostgresStore } from "@petstore/petstore/postgres";
 * import postgres from "postgres"; // or: import { Pool } from "pg";
 *
 * const store = await createPostgresStore(() => postgres("postgres://localhost/pets", { connect_timeout: 5 }));
 * const { handle } = createPetstore({ store, keys: ["pk_example"] });
 * // … and at the end:
 * await store.close();
 * ```
 *
 * @module
 */

import { checkAll, type Checks, oneOf, wholeNumber } from "../../check_options.ts";
import type { CommittingStore } from "../batch.ts";
import type { KeyStore } from "../key_store.ts";
import { statusCode } from "../status_code.ts";
import { pageOf } from "../page.ts";
import type { KeyedPetStore, PetPage, PetQuery } from "../store.ts";
import {
  Database,
  DEFAULT_SCHEMA,
  type PooledStore,
  type PostgresClientMaker,
  type PostgresStoreOptions,
} from "./client/client.ts";
import type { PostgresClient } from "./client/driver.ts";
import { createGroupCommit, type GroupCommit } from "./commit.ts";
import { startSweeper, type Sweeper } from "./sweeper.ts";
import { postgresKeys } from "./keys.ts";
import { openDatabase, postgresGrants, postgresSchema, requireSchemaName } from "./schema/schema.ts";
import { type Outcome, storeClosed, type Write } from "../write.ts";
import { WritingStore } from "../writing_store.ts";
import { MANY_PETS, type Statements, statementsFor } from "./statements.ts";

export { postgresGrants, postgresSchema };
export type { PostgresClientMaker, PostgresStoreOptions } from "./client/client.ts";
export type { NodePostgresClient, PostgresClient, PostgresJsClient, PostgresJsQuery } from "./client/driver.ts";

/**
 * Keeps pets in a PostgreSQL database. Creates or migrates its tables if necessary.
 *
 * A create resolves when PostgreSQL has committed it. Creates that arrive together share one commit. Ids ascend in the
 * order of commits, across all servers.
 *
 * A statement that takes too long is cancelled, and rejects with {@link StoreUnavailableError}. A create that waits for
 * a synchronous standby is not cancelled: that would show a pet that a failover may lose.
 *
 * `close()` takes at most `timeoutMs` plus 3 seconds, and leaves a client that you passed open.
 *
 * @param client The `sql` of postgres.js, a `Pool` of node-postgres, or a function that creates one: the store then
 * replaces a client with dead connections.
 * @throws {TypeError} If `client` is not one of these, or an option is invalid.
 * @throws {RangeError} If `timeoutMs` is out of range.
 * @throws {StoreUnavailableError} If PostgreSQL cannot be reached, the tables belong to a later release or another
 * program, or the role lacks privileges.
 */
export async function createPostgresStore(
  client: PostgresClient | PostgresClientMaker,
  options: PostgresStoreOptions = {},
): Promise<KeyedPetStore> {
  const checked = checkAll(CHECKS, options, "");
  return new PostgresStore(await openDatabase(client, checked), new Database(client, checked));
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
  readonly #db: Database;
  /** Reading the keys waits for no pet: a flood of requests must not keep a revoked key alive. */
  readonly #keyDb: Database;
  #statements: Statements;
  /** The id at which reads get a new text, and thus a new plan. */
  #replanAt = MANY_PETS;
  readonly #commits: GroupCommit;
  readonly #sweeper: Sweeper;
  #closing: Promise<void> | undefined;

  constructor(db: Database, keyDb: Database) {
    super();
    this.#db = db;
    this.#keyDb = keyDb;
    this.keys = postgresKeys(keyDb);
    this.#statements = statementsFor(db.schema);
    this.#commits = createGroupCommit(db, this.#statements.add);
    this.#sweeper = startSweeper(db, this.#statements.deleteExpired);
  }

  get isNew(): boolean {
    return this.#db.isNew;
  }

  get batch(): GroupCommit["batch"] {
    return this.#commits.batch;
  }

  get pool(): PooledStore["pool"] {
    return this.#db.load;
  }

  async write(write: Write): Promise<Outcome> {
    const outcome = await this.#commits.write(write);
    if (outcome.outcome === "created") {
      this.#replanAfter(outcome.id);
      if (write.kind === "createOnce") this.#sweeper.countRequest();
    }
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
    return this.#closing ??= Promise.all([this.batch.close(), this.#sweeper.close()])
      .then(async () => void await Promise.all([this.#db.release(), this.#keyDb.release()]));
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
