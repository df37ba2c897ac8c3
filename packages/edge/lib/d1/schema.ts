/** The tables in D1, and their version, which is in a table too, because D1 does not permit `PRAGMA user_version`. */

import { type MaybePromise, StoreUnavailableError } from "@petstore/petstore/store";
import {
  attempt,
  chain,
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
 * Returns a way to run statements on the tables. The first use creates missing tables, and each use refuses tables of a later release until
 * they have been found usable.
 *
 * @param name The name of the database in messages.
 */
export function checkedTables(name: string, runTransaction: RunTransaction) {
  /** Whether the tables have been found usable. It is false again once one of them is missing. */
  let isChecked = false;
  let isClosed = false;

  /**
   * Runs statements on tables that have been checked. Requests do not share the check, since one of a Worker must not wait for the promises of
   * another.
   */
  function run(statements: readonly Statement[], addsPet: boolean): MaybePromise<Rows[]> {
    if (isClosed) throw storeClosed();
    const runNow = () => runUnchecked(statements, addsPet);
    return attempt(() => isChecked ? runNow() : chain(checkVersion(), runNow), (error) => {
      // The tables may be missing, for example after a restore to a time before them. The next use then makes them.
      if (isMissing(error)) isChecked = false;
      throw error;
    });
  }

  /** Runs statements without a check of the tables. After an outage, the transaction may have been committed, so it is not repeated. */
  function runUnchecked(statements: readonly Statement[], addsPet = false): MaybePromise<Rows[]> {
    return attempt(() => runTransaction(...statements), (error) => {
      throw asUnavailable(error, name, addsPet);
    });
  }

  function checkVersion(): MaybePromise<void> {
    const existing = attempt<Rows | undefined>(readVersion, (error) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    return chain(chain(existing, (rows) => rows ?? createTables()), (rows) => {
      requireUsable(rows, name);
      isChecked = true;
    });
  }

  /** Reads the row with the version. */
  function readVersion(): MaybePromise<Rows> {
    return chain(runUnchecked([SELECT_VERSION]), ([rows = []]) => rows);
  }

  /** Creates the tables, and reads the row with the version. */
  function createTables(): MaybePromise<Rows> {
    const results = runUnchecked([...CREATE_TABLES.map((sql): Statement => [sql]), SELECT_VERSION]);
    return chain(results, (rows) => rows.at(-1) ?? []);
  }

  return {
    /** Runs statements in one transaction. */
    run: (...statements: Statement[]) => run(statements, false),
    /** Runs statements that add a pet in one transaction. */
    addPet: (...statements: Statement[]) => run(statements, true),
    /** Throws, in any case, why a write has stored nothing: a later release has changed the tables, for example. */
    rejectWrite: (): MaybePromise<never> =>
      chain(readVersion(), (rows) => {
        requireUsable(rows, name);
        throw new StoreUnavailableError(`${name}: the tables were changed during a write; repeat it`);
      }),
    close(): void {
      isClosed = true;
    },
  };
}

/** @throws {StoreUnavailableError} If there is no row with the version, or the version is that of a later release. */
function requireUsable([row]: Rows, database: string): void {
  if (row === undefined) throw new StoreUnavailableError(`${database} has no row in the table petstore_schema`);
  if (Number(row["version"]) <= SCHEMA_VERSION) return;
  throw new StoreUnavailableError(
    `${database} has version ${
      row["version"]
    } of the tables, and this program knows ${SCHEMA_VERSION}: use a later one`,
  );
}
