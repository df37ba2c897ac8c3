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

import { type Database, openClient, type PostgresClientMaker } from "./client.ts";
import { GroupCommit } from "./commit.ts";
import type { PostgresClient } from "./driver.ts";
import { closed } from "./errors.ts";
import { Forgetting } from "./forgetting.ts";
import { DEFAULT_SCHEMA, openSchema, postgresGrants, postgresSchema, requireSchemaName } from "./schema.ts";
import { MANY_PETS, type Statements, statementsFor, statusCode } from "./statements.ts";
import type { IdempotentOutcome, IdempotentRequest, PetDraft, PetPage, PetQuery, PetStore } from "../store.ts";

export { postgresGrants, postgresSchema };
export type { PostgresClientMaker } from "./client.ts";
export type { NodePostgresClient, PostgresClient, PostgresJsClient, PostgresJsQuery } from "./driver.ts";

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
  return new PostgresStore(db, schema);
}

class PostgresStore implements PetStore {
  readonly #db: Database;
  readonly #schema: string;
  #statements: Statements;
  /** When there are as many pets, reads are planned anew. */
  #growth = MANY_PETS;
  readonly #commits: GroupCommit;
  readonly #forgetting: Forgetting;
  #closing: Promise<void> | undefined;

  constructor(db: Database, schema: string) {
    this.#db = db;
    this.#schema = schema;
    this.#statements = statementsFor(schema);
    this.#commits = new GroupCommit(db, this.#statements.add);
    this.#forgetting = new Forgetting(db, this.#statements.forget);
  }

  async create(pet: PetDraft): Promise<bigint> {
    const result = await this.#commits.add(pet);
    // Without a request nothing is reused.
    const { id } = result as { id: bigint };
    this.#see(id);
    return id;
  }

  async createOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    const result = await this.#commits.add(pet, request);
    if (result.outcome === "created") {
      this.#see(result.id);
      this.#forgetting.remembered();
    }
    return result;
  }

  async get(id: bigint): Promise<string | undefined> {
    this.#requireOpen();
    const [row] = await this.#db.query(this.#statements.pet, [String(id)]);
    if (row) this.#see(id);
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
    this.#see(BigInt(shown.at(-1)?.[0] ?? 0));
    const json = `[${shown.map(([, pet]) => pet).join(",")}]`;
    return rows.length > limit ? { json, next: BigInt(shown.at(-1)?.[0] ?? 0) } : { json };
  }

  async check(): Promise<void> {
    await this.get(1n);
  }

  close(): Promise<void> {
    return this.#closing ??= Promise.all([this.#commits.close(), this.#forgetting.close()])
      .then(() => this.#db.release());
  }

  /** Plans that were made for few pets are of no use for many. */
  #see(id: bigint): void {
    if (id < this.#growth) return;
    this.#growth = 10n ** BigInt(String(id).length);
    this.#statements = statementsFor(this.#schema, id);
  }

  #requireOpen(): void {
    if (this.#closing) throw closed();
  }
}
