import type { DatabaseSync } from "node:sqlite";
import { type Rows, selectKeys, SqlKeys, type Statement } from "../database/sql_keys.ts";
import { keyOfRow } from "../database/sql_tables.ts";
import type { KeyStore, StoredKey } from "../key_store.ts";
import type { Connection } from "./connection.ts";
import { asUnavailable } from "./errors.ts";
import { findDatabase, readSnapshot } from "./inspection.ts";
import { requireInPlace } from "./opened_files.ts";
import { beginWrite, BUSY_TIMEOUT_MS, runAndCommit } from "./transaction.ts";

/** The table of the keys. */
const TABLE = "api_keys";

/** Makes the key store of an SQLite file, on the connection by which a store reads its pets. */
export function sqliteKeys(connection: Connection): KeyStore {
  return new SqlKeys(TABLE, (kind, ...statements) => {
    try {
      // If the file was moved or replaced, no server would notice a change of it.
      requireInPlace(connection.files);
      return kind === "read" ? readAtOnce(connection.db, statements) : change(connection, statements);
    } catch (error) {
      throw asUnavailable(error, connection.givenPath);
    }
  });
}

/** Runs statements that show the file as it is at one moment. */
function readAtOnce(db: DatabaseSync, statements: readonly Statement[]): Rows[] {
  db.exec("BEGIN");
  return runAndCommit(db, () => statements.map((each) => rowsOf(db, each)));
}

function change(connection: Connection, statements: readonly Statement[]): Rows[] {
  const { db } = connection;
  beginWrite(db, BUSY_TIMEOUT_MS);
  return runAndCommit(db, () => {
    connection.requireSchema();
    return statements.map((each) => rowsOf(db, each));
  });
}

function rowsOf(db: DatabaseSync, [sql, ...values]: Statement): Rows {
  return db.prepare(sql).all(...values);
}

/** Reads the keys of a file, without a change. */
export async function listKeys(path: string): Promise<StoredKey[]> {
  return await readSnapshot(findDatabase(path), readKeys);
}

/** Reads every key, in the order in which they were added. */
export function readKeys(db: DatabaseSync): StoredKey[] {
  return rowsOf(db, selectKeys(TABLE)).map(keyOfRow);
}
