/** Keeps API keys in the file of the pets, through the connection that reads. */

import type { DatabaseSync } from "node:sqlite";
import type { KeyStore } from "../key_store.ts";
import { type Rows, SqlKeys, type Statement } from "../sql_keys.ts";
import { asUnavailable } from "./errors.ts";
import { BUSY_TIMEOUT, setBusyTimeout } from "./open.ts";
import { commit, type FileWatch } from "./schema.ts";

export function sqliteKeys(db: DatabaseSync, watch: FileWatch): KeyStore {
  const run = (statements: readonly Statement[]) =>
    statements.map(([sql, ...values]) => db.prepare(sql).all(...values) as Rows);
  return new SqlKeys("api_keys", (kind, ...statements) => {
    try {
      // No server would notice a change of a file that was moved or replaced.
      watch.requireInPlace();
      return kind === "read" ? run(statements) : write(db, kind === "change", () => {
        watch.requireSchema();
        return run(statements);
      });
    } catch (error) {
      throw asUnavailable(error);
    }
  });
}

/** @param waits Whether to wait for a lock and for the disk, which stops the thread. */
function write<T>(db: DatabaseSync, waits: boolean, change: () => T): T {
  setBusyTimeout(db, waits ? BUSY_TIMEOUT : 0);
  db.exec(`PRAGMA synchronous = ${waits ? "FULL" : "NORMAL"}`);
  try {
    db.exec("BEGIN IMMEDIATE");
    return commit(db, change);
  } finally {
    db.exec("PRAGMA synchronous = FULL");
    setBusyTimeout(db, BUSY_TIMEOUT);
  }
}
