/** Group commit: creates that arrive together share one transaction and one sync of the disk. */

import type { DatabaseSync } from "node:sqlite";
import { asUnavailable, closed, isBusy } from "./errors.ts";
import { type Create, Inserter } from "./insert.ts";
import { BUSY_TIMEOUT } from "./open.ts";
import { rollback } from "./schema.ts";
import { statusCode } from "./statements.ts";
import { type IdempotentOutcome, type IdempotentRequest, type PetDraft, StoreUnavailableError } from "../store.ts";

/** The most creates in a transaction. Their rows take about a millisecond. */
const MAX_BATCH = 512;
/** Creates that may wait while another process has the lock; some tens of megabytes at most. */
const MAX_WAITING = 10_000;
/**
 * How long to wait before the lock is tried for again, in milliseconds. A program that commits without a pause leaves it
 * free for a moment only: whoever asks seldom is starved.
 */
const RETRY_DELAY = 1;

/** What is to be done around a transaction. */
export interface CommitHooks {
  /** Throws if nothing may be written; asked when a transaction has the lock. */
  before(): void;
  /** Told of a commit before those who wait for it are. */
  after(): void;
}

/** Commits what is added. */
export class GroupCommit {
  readonly #db: DatabaseSync;
  readonly #hooks: CommitHooks;
  readonly #inserter: Inserter;
  #waiting: Create[] = [];
  #isClosed = false;
  /** Since when another process has had the lock, as performance.now() tells the time; 0 if none has. */
  #busySince = 0;

  constructor(db: DatabaseSync, hooks: CommitHooks) {
    this.#db = db;
    this.#hooks = hooks;
    this.#inserter = new Inserter(db);
  }

  /** Adds a pet and resolves to its id when it is on disk. */
  add(pet: PetDraft): Promise<bigint> {
    return new Promise((resolve, reject) => this.#put({ row: rowOf(pet), resolve, reject }));
  }

  /** Adds a pet unless the request is remembered, and resolves when both are on disk. */
  addOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    return new Promise((resolve, reject) => this.#put({ row: rowOf(pet), request, resolve, reject }));
  }

  #put(create: Create): void {
    if (this.#isClosed) throw closed();
    if (this.#waiting.length >= MAX_BATCH && this.#busySince === 0) this.#commit();
    if (this.#waiting.length >= MAX_WAITING) throw new StoreUnavailableError("Too many creates wait for the disk");
    if (this.#waiting.push(create) === 1) this.#commitSoon();
  }

  /** Commits what waits, and takes no more. */
  close(): void {
    this.#isClosed = true;
    this.#commit();
  }

  /**
   * Commits after a turn of the event loop in which no further create has come. So a lone create waits for no other,
   * and those that many clients send at once share one transaction.
   */
  #commitSoon(): void {
    const count = this.#waiting.length;
    setImmediate(() => {
      if (this.#waiting.length > count) this.#commitSoon();
      else this.#commit();
    });
  }

  #commit(): void {
    const batch = this.#waiting;
    if (batch.length === 0) return;
    let acknowledgements: (() => void)[];
    try {
      if (!this.#begin()) return;
      this.#waiting = [];
      this.#hooks.before();
      acknowledgements = this.#inserter.insert(batch);
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#waiting = [];
      this.#abandon(batch, error);
      return;
    }
    this.#hooks.after();
    for (const acknowledge of acknowledgements) acknowledge();
  }

  /**
   * Begins a transaction, or puts it off while another process has the lock. SQLite's own way to wait would stop the
   * event loop, and so all reads, which need no lock.
   */
  #begin(): boolean {
    const patience = this.#isClosed ? BUSY_TIMEOUT : 0;
    try {
      this.#db.exec(`PRAGMA busy_timeout = ${patience}; BEGIN IMMEDIATE`);
      this.#busySince = 0;
      return true;
    } catch (error) {
      const now = performance.now();
      this.#busySince ||= now;
      if (this.#isClosed || !isBusy(error) || now - this.#busySince >= BUSY_TIMEOUT) {
        this.#busySince = 0;
        throw error;
      }
      setTimeout(() => this.#commit(), RETRY_DELAY);
      return false;
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    }
  }

  #abandon(batch: readonly Create[], error: unknown): void {
    try {
      rollback(this.#db);
    } catch {
      // The first error says more; what could not be rolled back was not committed either.
    }
    for (const { reject } of batch) reject(asUnavailable(error));
  }
}

function rowOf({ name, categoryId, status }: PetDraft): Create["row"] {
  return [name, categoryId, statusCode(status)];
}
