/**
 * Pets in PostgreSQL, through a client that the caller has: the `sql` of postgres.js, or a `Pool` of node-postgres. Any
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

import { type Database, openClient, type PostgresClientMaker } from "./postgres_client.ts";
import { GroupCommit } from "./postgres_commit.ts";
import type { PostgresClient } from "./postgres_driver.ts";
import { closed } from "./postgres_errors.ts";
import { DEFAULT_SCHEMA, openSchema, postgresGrants, postgresSchema, requireSchemaName } from "./postgres_schema.ts";
import { type Statements, statementsFor, statusCode } from "./postgres_statements.ts";
import type { IdempotentOutcome, IdempotentRequest, PetDraft, PetPage, PetQuery, PetStore } from "./store.ts";

export { postgresGrants, postgresSchema };
export type { PostgresClientMaker } from "./postgres_client.ts";
export type { NodePostgresClient, PostgresClient, PostgresJsClient, PostgresJsQuery } from "./postgres_driver.ts";

/** Options of {@link createPostgresStore}. */
export interface PostgresStoreOptions {
  /** The schema that the tables are in: small letters, digits and `_`. `petstore` unless given. */
  schema?: string;
  /**
   * How long PostgreSQL may take to answer, in milliseconds, the wait for a connection included. 5000 unless given. A create
   * waits at most for half of it behind others, and is then refused without having been sent.
   */
  timeout?: number;
  /**
   * Whether statements are prepared, so that PostgreSQL plans each once for a connection. `true` unless given; `false` is
   * for poolers in transaction mode that do not know of it, such as PgBouncer before 1.21.
   */
  prepare?: boolean;
}

/**
 * Opens the tables, making them first or bringing them up to date where that is needed, and keeps pets in them. A create
 * is acknowledged when PostgreSQL has committed it; creates that arrive together share one statement and one commit.
 *
 * What takes too long is cancelled, and refused with {@link StoreUnavailableError}. A connection on which nothing comes any
 * more is replaced, but not where the `sql` of postgres.js itself is handed in, which has no way to do so: hand in a
 * function that makes it. `store.close()` waits no longer than the timeout and three seconds, refuses creates that still wait
 * for others after one, and closes what the function has made. A client that was handed in stays open.
 *
 * Ids ascend in the order of commits, whoever commits. A create that fails may leave a gap.
 *
 * @param client The `sql` of postgres.js, a `Pool` of node-postgres, or a function that makes one of them.
 * @throws {TypeError} If `client` is none of them, or an option is wrong.
 * @throws {StoreUnavailableError} If PostgreSQL cannot be reached, or the tables are a newer release's or another
 * program's, or would have to be made by a role that may not.
 */
export async function createPostgresStore(
  client: PostgresClient | PostgresClientMaker,
  options: PostgresStoreOptions = {},
): Promise<PetStore> {
  const { schema = DEFAULT_SCHEMA, timeout = 5000, prepare = true } = options;
  requireSchemaName(schema);
  if (!(timeout > 0 && timeout < 2 ** 31)) throw new TypeError("The timeout must be a number of milliseconds above 0");
  const db = openClient(client, { timeout, prepare });
  try {
    await openSchema(db, schema);
  } catch (error) {
    await db.release();
    throw error;
  }
  return new PostgresStore(db, statementsFor(schema));
}

class PostgresStore implements PetStore {
  readonly #db: Database;
  readonly #statements: Statements;
  readonly #commits: GroupCommit;
  #closing: Promise<void> | undefined;

  constructor(db: Database, statements: Statements) {
    this.#db = db;
    this.#statements = statements;
    this.#commits = new GroupCommit(db, statements.add);
  }

  async create(pet: PetDraft): Promise<bigint> {
    const result = await this.#commits.add(pet);
    // Without a request nothing is reused.
    return (result as { id: bigint }).id;
  }

  createOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    return this.#commits.add(pet, request);
  }

  async get(id: bigint): Promise<string | undefined> {
    this.#requireOpen();
    const [row] = await this.#db.query(this.#statements.pet, [String(id)]);
    return row?.[0] ?? undefined;
  }

  async list({ after, limit, status }: PetQuery): Promise<PetPage> {
    this.#requireOpen();
    // One more than is shown tells whether there is a next page.
    const bounds = [String(after), String(limit + 1)];
    const rows = status === undefined
      ? await this.#db.query(this.#statements.all, bounds)
      : await this.#db.query(this.#statements.ofStatus, [...bounds, statusCode(status)]);
    const shown = rows.length > limit ? rows.slice(0, limit) : rows;
    const json = `[${shown.map(([, pet]) => pet).join(",")}]`;
    return rows.length > limit ? { json, next: BigInt(shown.at(-1)?.[0] ?? 0) } : { json };
  }

  async check(): Promise<void> {
    await this.get(1n);
  }

  close(): Promise<void> {
    return this.#closing ??= this.#commits.close().then(() => this.#db.release());
  }

  #requireOpen(): void {
    if (this.#closing) throw closed();
  }
}
