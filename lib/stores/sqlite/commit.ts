/** Group commit: creates that arrive together share one transaction and one disk sync. */

import type { DatabaseSync } from "node:sqlite";
import { Batch } from "../batch.ts";
import { statusCode } from "../status_code.ts";
import type { IdempotentOutcome, IdempotentRequest, PetDraft } from "../store.ts";
import { asUnavailable, isBusy } from "./errors.ts";
import { type Create, Inserter } from "./insert.ts";
import { BUSY_TIMEOUT, setBusyTimeout } from "./open.ts";
import { rollback } from "./schema.ts";

/**
 * The pause between attempts to get the write lock, in milliseconds. It is short, because a program that commits without
 * pausing releases the lock only for moments.
 */
const RETRY_DELAY = 1;

/** Callbacks of the store. */
export interface CommitHooks {
  /** Called when the transaction has the write lock. Throws if nothing may be written. */
  before(): void;
  /** Called after the commit, before its creates resolve. */
  after(): void;
}

/** Commits creates in batches. */
export class GroupCommit {
  readonly #db: DatabaseSync;
  readonly #hooks: CommitHooks;
  readonly #inserter: Inserter;
  readonly #batch: Batch<Create>;
  /** When another process was first found to hold the lock, as in `performance.now()`; 0 if none does. */
  #busySince = 0;

  constructor(db: DatabaseSync, hooks: CommitHooks) {
    this.#db = db;
    this.#hooks = hooks;
    this.#inserter = new Inserter(db);
    this.#batch = new Batch(() => this.#commitUnlessBusy(), "the disk");
  }

  /** Adds a pet, unless the request is remembered, and resolves when it is on disk. */
  add(pet: PetDraft, request?: IdempotentRequest): Promise<IdempotentOutcome> {
    return new Promise((resolve, reject) => this.#batch.add({ row: rowOf(pet), request, resolve, reject }));
  }

  /** Accepts no more creates, and commits those that wait. */
  close(): void {
    this.#batch.close();
  }

  #commitUnlessBusy(): void {
    // Otherwise another attempt is already scheduled.
    if (this.#busySince === 0 || this.#batch.isClosed) this.#commit();
  }

  #commit(): void {
    const creates = this.#batch.waiting;
    if (creates.length === 0) return;
    let acknowledgements: (() => void)[];
    try {
      if (!this.#begin()) return;
      this.#batch.waiting = [];
      this.#hooks.before();
      acknowledgements = this.#inserter.insert(creates);
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#batch.waiting = [];
      this.#abandon(creates, error);
      return;
    }
    this.#hooks.after();
    for (const acknowledge of acknowledgements) acknowledge();
  }

  /**
   * Begins a transaction, or schedules another attempt if another process holds the lock. SQLite's own busy timeout would
   * block the event loop, and thus reads, which need no lock.
   */
  #begin(): boolean {
    const { isClosed } = this.#batch;
    try {
      setBusyTimeout(this.#db, isClosed ? BUSY_TIMEOUT : 0);
      this.#db.exec("BEGIN IMMEDIATE");
      this.#busySince = 0;
      return true;
    } catch (error) {
      const now = performance.now();
      this.#busySince ||= now;
      if (isClosed || !isBusy(error) || now - this.#busySince >= BUSY_TIMEOUT) {
        this.#busySince = 0;
        throw error;
      }
      setTimeout(() => this.#commit(), RETRY_DELAY);
      return false;
    } finally {
      setBusyTimeout(this.#db, BUSY_TIMEOUT);
    }
  }

  #abandon(creates: readonly Create[], error: unknown): void {
    try {
      rollback(this.#db);
    } catch {
      // The first error is more useful. The transaction has not been committed.
    }
    for (const { reject } of creates) reject(asUnavailable(error));
  }
}

/** Uses bigints only, because `node:sqlite` binds a JavaScript number as REAL. */
function rowOf({ name, categoryId, status }: PetDraft): Create["row"] {
  return [name, categoryId, BigInt(statusCode(status))];
}
