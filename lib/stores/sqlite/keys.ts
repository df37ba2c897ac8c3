import type { DatabaseSync } from "node:sqlite";
import type { KeyStore, StoredKey } from "../key_store.ts";
import { keysOf, type Rows, type RunStatements, SqlKeys, type Statement } from "../sql_keys.ts";
import { asUnavailable } from "./errors.ts";
import { readSnapshot } from "./inspection.ts";
import type { FileWatch } from "./file_watch.ts";
import type { SharedRead } from "./shared_read.ts";
import { requireTables } from "./schema.ts";
import { beginWrite, BUSY_TIMEOUT, runAndCommit } from "./transaction.ts";

export function sqliteKeys(db: DatabaseSync, watch: FileWatch, shared: SharedRead | undefined): KeyStore {
  const run = (statements: readonly Statement[]) =>
    statements.map(([sql, ...values]) => db.prepare(sql).all(...values) as Rows);
  function inPlace<T>(use: () => T): T {
    try {
      // Within the transaction of earlier reads, the keys would be as old as that.
      shared?.end();
      // No server would notice a change of a file that was moved or replaced.
      watch.requireInPlace();
      return use();
    } catch (error) {
      throw asUnavailable(error, watch.path);
    }
  }
  const runAll: RunStatements = (kind, ...statements) =>
    inPlace(() =>
      kind === "read" ? run(statements) : change(db, () => {
        watch.requireSchema();
        return run(statements);
      })
    );
  // The commits of other connections, and what this one has changed.
  const stamp = () => inPlace(() => JSON.stringify(run([["PRAGMA data_version"], ["SELECT total_changes()"]])));
  return new SqlKeys("api_keys", runAll, stamp);
}

function change<T>(db: DatabaseSync, work: () => T): T {
  beginWrite(db, BUSY_TIMEOUT);
  return runAndCommit(db, work);
}

/** Reads the keys of a file, without a change. */
export function listKeys(path: string): Promise<StoredKey[]> {
  return readSnapshot(path, (db) => {
    requireTables(db, path);
    return readKeys(db);
  });
}

/** Every key, in the order in which they were added. */
export function readKeys(db: DatabaseSync): StoredKey[] {
  return keysOf(db.prepare("SELECT * FROM api_keys ORDER BY rowid").all());
}
