/** The tables in D1, and their version, which is in a table too, because D1 does not permit `PRAGMA user_version`. */

import { type MaybePromise, StoreUnavailableError } from "@petstore/petstore/store";
import {
  KEY_COLUMNS,
  PET_COLUMNS,
  REQUEST_COLUMNS,
  type Rows,
  type Statement,
  storeClosed,
} from "@petstore/petstore/store/toolkit";
import { asUnavailable, isMissing } from "./errors.ts";

export const SCHEMA_VERSION = 1;

/**
 * The statements that create the tables. They change no table that exists, so several Workers may run them. A migration
 * must check the version first.
 */
const CREATE_TABLES: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS petstore_schema (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL
) STRICT`,
  `CREATE TABLE IF NOT EXISTS petstore_pets ${PET_COLUMNS}`,
  "CREATE INDEX IF NOT EXISTS petstore_pets_by_status ON petstore_pets (status)",
  `CREATE TABLE IF NOT EXISTS petstore_requests ${REQUEST_COLUMNS}`,
  "CREATE INDEX IF NOT EXISTS petstore_requests_by_expiry ON petstore_requests (expires_at)",
  `CREATE TABLE IF NOT EXISTS petstore_keys ${KEY_COLUMNS}`,
  `INSERT OR IGNORE INTO petstore_schema (id, version) VALUES (1, ${SCHEMA_VERSION})`,
];

const SELECT_VERSION: Statement = ["SELECT version FROM petstore_schema WHERE id = 1"];

/**
 * The SQL that makes the tables, for wrangler's migrations, if Workers must not make them. It changes no table that
 * exists.
 */
export function d1Schema(): string {
  return CREATE_TABLES.map((sql) => `${sql};\n`).join("");
}

/** Runs statements in one transaction, in their order, and returns the rows of each. */
export type RunTransaction = (...statements: readonly Statement[]) => MaybePromise<Rows[]>;

/**
 * The tables of a store. The first use creates those that are missing, and each use refuses tables of a later release until they have been
 * found usable. Requests do not share this check, since one of a Worker must not wait for the promises of another.
 */
export class Tables {
  /** The name of the database in messages. */
  readonly #name: string;
  readonly #runTransaction: RunTransaction;
  /** Whether the tables have been found usable. It is false again once one of them is missing, so that the next use makes them. */
  #isChecked = false;
  #isClosed = false;

  constructor(name: string, runTransaction: RunTransaction) {
    this.#name = name;
    this.#runTransaction = runTransaction;
  }

  /** Runs statements in one transaction. */
  run(...statements: Statement[]): Promise<Rows[]> {
    return this.#runChecked(statements, false);
  }

  /** Runs statements that add a pet in one transaction. If that fails, the error says whether the pet may have been stored. */
  runCreate(...statements: Statement[]): Promise<Rows[]> {
    return this.#runChecked(statements, true);
  }

  /** Throws why a create has stored no pet. The tables are those of a later release, or were so for a moment. */
  async throwMissingPet(): Promise<never> {
    requireUsable(await this.#readVersion(), this.#name);
    throw new StoreUnavailableError(`${this.#name}: the tables were changed during a write; repeat it`);
  }

  /** Refuses later uses. */
  close(): void {
    this.#isClosed = true;
  }

  async #runChecked(statements: readonly Statement[], addsPet: boolean): Promise<Rows[]> {
    if (this.#isClosed) throw storeClosed();
    try {
      if (!this.#isChecked) await this.#check();
      return await this.#runNow(statements, addsPet);
    } catch (error) {
      // A table may be missing after a restore to a time before it was made.
      if (isMissing(error)) this.#isChecked = false;
      throw error;
    }
  }

  /** After an outage, the transaction may have been committed, so it is not repeated. */
  async #runNow(statements: readonly Statement[], addsPet: boolean): Promise<Rows[]> {
    try {
      return await this.#runTransaction(...statements);
    } catch (error) {
      throw asUnavailable(error, this.#name, addsPet);
    }
  }

  async #check(): Promise<void> {
    requireUsable(await this.#findVersion() ?? await this.#createTables(), this.#name);
    this.#isChecked = true;
  }

  /** Reads the row with the version. The result is undefined if there is no table for it. */
  async #findVersion(): Promise<Rows | undefined> {
    try {
      return await this.#readVersion();
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async #readVersion(): Promise<Rows> {
    const [rows = []] = await this.#runNow([SELECT_VERSION], false);
    return rows;
  }

  /** Creates the tables, and reads the row with the version. */
  async #createTables(): Promise<Rows> {
    const create = CREATE_TABLES.map((sql): Statement => [sql]);
    const results = await this.#runNow([...create, SELECT_VERSION], false);
    return results.at(-1) ?? [];
  }
}

/** @throws {StoreUnavailableError} If there is no row with the version, or the version is that of a later release. */
function requireUsable([row]: Rows, database: string): void {
  if (row === undefined) throw new StoreUnavailableError(`${database} has no row in the table petstore_schema`);
  const version = Number(row["version"]);
  if (version <= SCHEMA_VERSION) return;
  const message = `${database} has version ${version} of the tables, and this program knows ${SCHEMA_VERSION}`;
  throw new StoreUnavailableError(`${message}: use a later one`);
}
