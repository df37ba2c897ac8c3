/**
 * What transactions of SQLite have in common: how they wait for a lock, how they end after a
 * failure, and statements that return bigints.
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isBusy } from "./errors.ts";

/**
 * How long a connection waits for the lock of another one. The wait blocks the thread, so it is
 * short:
 *
 * - A create on the thread that serves does not wait in this way. The writer tries again for as
 *   long, and reads go on meanwhile.
 * - On the thread that writes, only other creates wait.
 * - A change of the keys, and the start, do block the thread that serves. Both are rare.
 */
export const BUSY_TIMEOUT_MS = 1000;

/** The pause between attempts to get a lock. SQLite's own pauses grow so long that a busy program would always be first. */
const LOCK_PAUSE_MS = 0.2;

/** Writes the log back, and switches to a rollback journal until a store opens the file. */
export function switchOffWal(db: DatabaseSync): void {
  db.exec("PRAGMA journal_mode = DELETE");
}

/** Another program may have inserted an id beyond 2^53, which a JavaScript number would round. */
export function prepareWithBigInts(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

/** Begins a transaction that writes. It tries again for so long while another connection has the lock. */
export function beginWrite(db: DatabaseSync, patienceMs: number = BUSY_TIMEOUT_MS): void {
  retryWhileBusy(() => db.exec("BEGIN IMMEDIATE"), patienceMs);
}

/**
 * Repeats `work` while another connection has the lock, and blocks the thread in short pauses
 * between the attempts.
 *
 * @param patienceMs How long it tries at most.
 * @throws The error of the last attempt.
 */
export function retryWhileBusy<T>(work: () => T, patienceMs: number = BUSY_TIMEOUT_MS): T {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    pauseThread(LOCK_PAUSE_MS);
  }
}

/**
 * Runs `work` in the transaction that has just begun, and commits it. It is rolled back if `work`
 * or the commit throws.
 */
export function runAndCommit<T>(db: DatabaseSync, work: () => T): T {
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    rollback(db);
    throw error;
  }
}

/** Ends a transaction without a commit, if there is one. */
export function rollback(db: DatabaseSync): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // SQLite has ended the transaction already, for example because the disk is full.
  }
}

/** A value that does not change, so that `Atomics.wait()` sleeps for the whole time. */
const NEVER_CHANGED = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread for a time in milliseconds. */
export function pauseThread(milliseconds: number): void {
  Atomics.wait(NEVER_CHANGED, 0, 0, milliseconds);
}
