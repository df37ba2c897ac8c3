/**
 * What transactions of SQLite have in common: how long they wait for a lock, how they end after a failure, and statements whose integers
 * are exact.
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isBusy, isIoError } from "./errors.ts";

/** How long SQLite waits for a lock, in milliseconds. Short, because it blocks the event loop. */
export const BUSY_TIMEOUT = 1000;

/** The pause between attempts to get the write lock, in milliseconds. */
const PAUSE = 0.2;

/** Node before 22.16 ignores the option `timeout`, and so does Deno for a read-only connection. */
export function setBusyTimeout(db: DatabaseSync, milliseconds: number): void {
  db.exec(`PRAGMA busy_timeout = ${milliseconds}`);
}

/** Writes the log back, and switches to a rollback journal until a store opens the file. */
export function leaveLog(db: DatabaseSync): void {
  db.exec("PRAGMA journal_mode = DELETE");
}

/** Integers are read as bigints, because another program may have inserted an id beyond 2^53. */
export function prepareExact(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

/**
 * Begins a transaction that writes. It blocks the thread for up to `patience` milliseconds while another connection has the lock. It waits in
 * short pauses of its own, because SQLite's are so long that a busy program would always be first.
 */
export function beginWrite(db: DatabaseSync, patience: number): void {
  const deadline = performance.now() + patience;
  setBusyTimeout(db, 0);
  try {
    // `Atomics.wait()` on a value that nobody changes is a sleep.
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (;;) {
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

/**
 * Runs `work` in a transaction, and commits it. The transaction is rolled back if `work` throws.
 *
 * @param onUncertain Called if the commit fails and may have been written all the same.
 */
export function runAndCommit<T>(db: DatabaseSync, work: () => T, onUncertain: () => void = () => {}): T {
  try {
    const result = work();
    try {
      db.exec("COMMIT");
    } catch (error) {
      // The log may have the whole commit before its sync fails, and the next start would find it there.
      if (isIoError(error)) onUncertain();
      throw error;
    }
    return result;
  } catch (error) {
    rollback(db);
    throw error;
  }
}

export function rollback(db: DatabaseSync): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // SQLite has ended it already, for example because the disk is full.
  }
}
