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

const SCHEMA_VERSION = 1;

/**
 * The statements that create the tables. They change no table that exists, so several Workers may
 * run them. A migration must check the version first.
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
 * The SQL that makes the tables, for wrangler's migrations, if Workers must not make them. It
 * changes no table that exists.
 */
export function d1Schema(): string {
  return CREATE_TABLES.map((sql) => `${sql};\n`).join("");
}

/** Runs statements in one transaction, in their order, and returns the rows of each. */
export type RunTransaction = (...statements: readonly Statement[]) => MaybePromise<Rows[]>;

/** The tables of a store, of which the first use creates those that are missing. */
export interface Tables {
  /** Runs statements in one transaction. */
  run(...statements: Statement[]): Promise<Rows[]>;
  /**
   * Runs statements that add a pet in one transaction. If that fails, the error says whether the
   * pet may have been stored.
   */
  runCreate(...statements: Statement[]): Promise<Rows[]>;
  /** Refuses later uses. */
  close(): void;
}

/** @param name The name of the database in messages. */
export function createTables(name: string, runTransaction: RunTransaction): Tables {
  let isClosed = false;
  /**
   * Whether the tables have been found usable. Requests do not share the check, since one of a
   * Worker must not wait for the promises of another.
   */
  let isChecked = false;

  async function runChecked(statements: readonly Statement[], addsPet: boolean): Promise<Rows[]> {
    if (isClosed) throw storeClosed();
    try {
      if (!isChecked) await check();
      return await runNow(statements, addsPet);
    } catch (error) {
      // A table may be missing after a restore to a time before it was made, or a `deleteAll()` of
      // the object. The next use makes it.
      if (isMissing(error)) isChecked = false;
      throw error;
    }
  }

  async function check(): Promise<void> {
    const results = await runNow([SELECT_VERSION], false).catch((error) => {
      if (!isMissing(error)) throw error;
      return runNow([...CREATE_TABLES.map((sql): Statement => [sql]), SELECT_VERSION], false);
    });
    requireUsable(results.at(-1)?.[0]);
    isChecked = true;
  }

  /** After an outage, the transaction may have been committed, so it is not repeated. */
  async function runNow(statements: readonly Statement[], addsPet: boolean): Promise<Rows[]> {
    try {
      return await runTransaction(...statements);
    } catch (error) {
      throw asUnavailable(error, name, addsPet);
    }
  }

  /** @throws {StoreUnavailableError} If there is no row with the version, or the version is that of a later release. */
  function requireUsable(row: Rows[number] | undefined): void {
    if (row === undefined) throw new StoreUnavailableError(`${name} has no row in the table petstore_schema`);
    const version = Number(row["version"]);
    if (version <= SCHEMA_VERSION) return;
    const message = `${name} has version ${version} of the tables, and this program knows ${SCHEMA_VERSION}`;
    throw new StoreUnavailableError(`${message}: use a later one`);
  }

  return {
    run: (...statements) => runChecked(statements, false),
    runCreate: (...statements) => runChecked(statements, true),
    close: () => void (isClosed = true),
  };
}
