/** Group commit: creates that arrive together share one transaction and one sync of the disk. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { asUnavailable, closed, isBusy, isOutage } from "./sqlite_errors.ts";
import { BUSY_TIMEOUT, rollback } from "./sqlite_open.ts";
import { insertPets, statusCode } from "./sqlite_statements.ts";
import { type PetDraft, StoreUnavailableError } from "./store.ts";

/** The most creates in a transaction. Their rows take about a millisecond. */
const MAX_BATCH = 512;
/** Rows in one statement. More gain next to nothing. */
const ROWS = 16;
/** Creates that may wait while another process has the lock; some tens of megabytes at most. */
const MAX_WAITING = 10_000;
/** How long to wait before the lock is tried for again, in milliseconds. */
const RETRY_DELAY = 5;

type Row = [name: string, categoryId: bigint, status: bigint];

interface Waiting {
  row: Row;
  resolve(id: bigint): void;
  reject(error: unknown): void;
}

/** What is to be done around a transaction. */
export interface CommitHooks {
  /** Throws if nothing may be written. */
  begin(): void;
  /** Told of a commit before those who wait for it are. */
  end(): void;
}

/** Commits what is added. */
export class GroupCommit {
  readonly #db: DatabaseSync;
  readonly #hooks: CommitHooks;
  readonly #insertOne: StatementSync;
  readonly #insertMany: StatementSync;
  #waiting: Waiting[] = [];
  #isClosed = false;
  /** Since when another process has had the lock, in milliseconds since 1970; 0 if none has. */
  #busySince = 0;

  constructor(db: DatabaseSync, hooks: CommitHooks) {
    this.#db = db;
    this.#hooks = hooks;
    this.#insertOne = db.prepare(insertPets(1));
    this.#insertMany = db.prepare(insertPets(ROWS));
  }

  /** Adds a pet and resolves to its id when it is on disk. */
  add({ name, categoryId, status }: PetDraft): Promise<bigint> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw closed();
      if (this.#waiting.length >= MAX_WAITING) throw new StoreUnavailableError("Too many creates wait for the disk");
      const row: Row = [name, categoryId, statusCode(status)];
      if (this.#waiting.length >= MAX_BATCH && this.#busySince === 0) this.#commit();
      if (this.#waiting.push({ row, resolve, reject }) === 1) this.#commitSoon();
    });
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
    const acknowledgements: (() => void)[] = [];
    try {
      this.#hooks.begin();
      if (!this.#begin()) return;
      this.#waiting = [];
      for (let i = 0; i < batch.length; i += ROWS) this.#insert(batch.slice(i, i + ROWS), acknowledgements);
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#waiting = [];
      this.#abandon(batch, error);
      return;
    }
    this.#hooks.end();
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
      const now = Date.now();
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

  #insert(batch: readonly Waiting[], acknowledgements: (() => void)[]): void {
    if (batch.length === ROWS && this.#insertTogether(batch, acknowledgements)) return;
    for (const waiting of batch) acknowledgements.push(this.#insertAlone(waiting));
  }

  /** Whether it could be done in one statement. If not, none of its rows is there: SQLite undoes a statement whole. */
  #insertTogether(batch: readonly Waiting[], acknowledgements: (() => void)[]): boolean {
    try {
      const { lastInsertRowid } = this.#insertMany.run(...batch.flatMap(({ row }) => row));
      const first = BigInt(lastInsertRowid) - BigInt(ROWS - 1);
      batch.forEach(({ resolve }, i) => acknowledgements.push(() => resolve(first + BigInt(i))));
      return true;
    } catch (error) {
      if (isOutage(error)) throw error;
      return false;
    }
  }

  /** A row that breaks a constraint fails alone. */
  #insertAlone({ row, resolve, reject }: Waiting): () => void {
    try {
      const { lastInsertRowid } = this.#insertOne.run(...row);
      const id = BigInt(lastInsertRowid);
      return () => resolve(id);
    } catch (error) {
      if (isOutage(error)) throw error;
      return () => reject(error);
    }
  }

  #abandon(batch: readonly Waiting[], error: unknown): void {
    try {
      rollback(this.#db);
    } catch {
      // The first error says more; what could not be rolled back was not committed either.
    }
    for (const { reject } of batch) reject(asUnavailable(error));
  }
}
