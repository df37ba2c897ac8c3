/** Group commit: creates that arrive together share one transaction and one disk sync. */

import type { DatabaseSync } from "node:sqlite";
import { StoreUnavailableError } from "../store.ts";
import { asUnavailable, isBusy } from "./errors.ts";
import { type Create, Inserter } from "./insert.ts";
import { BUSY_TIMEOUT, setBusyTimeout } from "./open.ts";
import { type FileWatch, rollback } from "./schema.ts";

/**
 * The pause between attempts to get the write lock, in milliseconds. It is short, because a program that commits without
 * pausing releases the lock only for moments.
 */
export const RETRY_DELAY = 1;

/** Commits creates over one connection. */
export class Transactions {
  readonly #db: DatabaseSync;
  readonly #watch: FileWatch;
  readonly #inserter: Inserter;
  /** Since when another process has held the lock, as in `performance.now()`; 0 if the lock is free. */
  #busySince = 0;

  constructor(db: DatabaseSync, watch: FileWatch) {
    this.#db = db;
    this.#watch = watch;
    this.#inserter = new Inserter(db);
  }

  /**
   * Commits creates in one transaction, and settles them.
   *
   * @param isCautious Whether an invalid create fails alone. That takes longer, so it is for a second attempt.
   * @returns False if another process holds the lock. Nothing has been written then, and the caller retries after
   * {@link RETRY_DELAY}. It needs no limit: after a second, the creates are refused.
   */
  commit(creates: readonly Create[], isCautious = false): boolean {
    let acknowledgements: (() => void)[];
    try {
      if (!this.#begin()) return false;
      this.#watch.requireWritable();
      acknowledgements = isCautious
        ? creates.flatMap((create) => this.#inserter.insertOrReject(create))
        : this.#inserter.insert(creates);
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#rollback();
      if (!isCautious && creates.length > 1 && !(asUnavailable(error) instanceof StoreUnavailableError)) {
        return this.commit(creates, true);
      }
      acknowledgements = creates.map(({ reject }) => () => reject(asUnavailable(error)));
    }
    for (const acknowledge of acknowledgements) acknowledge();
    return true;
  }

  #begin(): boolean {
    try {
      // SQLite's own wait would block reads, which need no lock.
      setBusyTimeout(this.#db, 0);
      this.#db.exec("BEGIN IMMEDIATE");
      this.#busySince = 0;
      return true;
    } catch (error) {
      const now = performance.now();
      this.#busySince ||= now;
      if (!isBusy(error) || now - this.#busySince >= BUSY_TIMEOUT) {
        this.#busySince = 0;
        throw error;
      }
      return false;
    } finally {
      setBusyTimeout(this.#db, BUSY_TIMEOUT);
    }
  }

  #rollback(): void {
    try {
      rollback(this.#db);
    } catch {
      // The first error is more useful. The transaction has not been committed.
    }
  }
}
