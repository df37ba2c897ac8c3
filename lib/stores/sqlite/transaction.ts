/** Transactions over a connection. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isBusy } from "./errors.ts";

/** How long SQLite waits for a lock of another process, in milliseconds. This must be short, because it blocks the event loop. */
export const BUSY_TIMEOUT = 1000;

/** The pause between attempts to get the write lock, in milliseconds. A program that writes all the time releases it for moments. */
const PAUSE = 0.2;

/** Sets the busy timeout. Node before 22.16 ignores the option `timeout`, and so does Deno for a read-only connection. */
export function setBusyTimeout(db: DatabaseSync, milliseconds: number): void {
  db.exec(`PRAGMA busy_timeout = ${milliseconds}`);
}

/** Writes the log back into the file, and switches to a rollback journal. A store that opens the file switches back. */
export function leaveLog(db: DatabaseSync): void {
  db.exec("PRAGMA journal_mode = DELETE");
}

/** Prepares a statement whose integers are read as bigints: another program may have inserted an id beyond 2^53. */
export function prepareExact(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

/**
 * Begins a transaction that writes.
 *
 * @param patience How long to wait for the lock of another connection, in milliseconds. This blocks the thread. SQLite's own wait
 * has pauses of up to 100 ms, in which a busy program would always be first.
 */
export function begin(db: DatabaseSync, patience: number): void {
  const deadline = performance.now() + patience;
  setBusyTimeout(db, 0);
  try {
    for (const pause = new Int32Array(new SharedArrayBuffer(4));;) {
      try {
        return db.exec("BEGIN IMMEDIATE");
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error;
      }
      Atomics.wait(pause, 0, 0, PAUSE);
    }
  } finally {
    setBusyTimeout(db, BUSY_TIMEOUT);
  }
}

/** Ends a transaction that has begun: with what `work` has written or, if it throws, with nothing. */
export function commit<T>(db: DatabaseSync, work: () => T): T {
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    rollback(db);
    throw error;
  }
}

/** Ends a transaction that failed. */
export function rollback(db: DatabaseSync): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // SQLite has ended it already, for example because the disk is full. The first error is more useful.
  }
}
