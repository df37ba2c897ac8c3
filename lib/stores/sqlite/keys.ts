/** Keeps API keys in the file of the pets, through the connection that reads. */

import type { DatabaseSync } from "node:sqlite";
import type { KeyStore } from "../key_store.ts";
import { type Rows, SqlKeys, type Statement } from "../sql_keys.ts";
import { asUnavailable } from "./errors.ts";
import type { FileWatch } from "./schema.ts";
import { begin, BUSY_TIMEOUT, commit } from "./transaction.ts";

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
  db.exec(`PRAGMA synchronous = ${waits ? "FULL" : "NORMAL"}`);
  try {
    begin(db, waits ? BUSY_TIMEOUT : 0);
    return commit(db, change);
  } finally {
    db.exec("PRAGMA synchronous = FULL");
  }
}
