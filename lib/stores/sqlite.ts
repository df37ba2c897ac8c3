/**
 * Pets in an SQLite file, through the `node:sqlite` of Deno, Node and Bun.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createPetstore } from "@petstore/petstore";
 * import { createSqliteStore } from "@petstore/petstore/sqlite";
 *
 * const store = createSqliteStore(":memory:"); // or a path, such as "data/petstore.db"
 * const { handle } = createPetstore({ store, keys: ["pk_example"] });
 * const answer = await handle(
 *   new Request("http://localhost/v1/pets", { headers: { authorization: "Bearer pk_example" } }),
 * );
 * assert.equal(answer.status, 200);
 * await store.close();
 * ```
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { PetStatus } from "../pet.ts";
import { DatabaseFile } from "./sqlite_file.ts";
import { openDatabase, rollback } from "./sqlite_open.ts";
import { ALL_PETS, INSERT_PET, type PageSql, PETS_OF_STATUS, SELECT_PET, STATUS_CODES } from "./sqlite_statements.ts";
import {
  type PetDraft,
  type PetPage,
  type PetQuery,
  type PetStore,
  type StoreChanges,
  StoreUnavailableError,
} from "./store.ts";

/**
 * Opens, or makes, an SQLite database and keeps pets in it. A create is acknowledged when it is on disk (write-ahead log,
 * `synchronous = FULL`); creates that arrive together share one transaction.
 *
 * @param path The database file, in a folder that exists, or `:memory:`.
 * @throws {TypeError} If `path` is not a path.
 * @throws {StoreUnavailableError} If the file belongs to another program, has a newer schema, is locked or corrupt, or
 * cannot be opened; it is then left as it was.
 */
export function createSqliteStore(path: string): PetStore {
  // SQLite would take file: for a URI, with parameters of its own.
  if (typeof path !== "string" || path === "" || path.includes("\0") || /^file:/i.test(path)) {
    throw new TypeError("The path of an SQLite store must be a file's path, not a URL, or :memory:");
  }
  return new SqliteStore(openDatabase(path), path);
}

/** SQLITE_ERROR and SQLITE_CONSTRAINT: the statement is wrong, not the state of the world. */
const DEFECTS = [1, 19];

/** Creates in a transaction, beyond which no more are waited for. Their rows take about a millisecond. */
const MAX_BATCH = 512;

interface Waiting {
  row: [name: string, categoryId: bigint, status: bigint];
  resolve(id: bigint): void;
  reject(error: unknown): void;
}

class SqliteStore implements PetStore {
  readonly #db: DatabaseSync;
  readonly #file: DatabaseFile | undefined;
  readonly #insert: StatementSync;
  readonly #get: StatementSync;
  readonly #dataVersion: StatementSync;
  readonly #all: PageStatements;
  readonly #ofStatus: PageStatements;
  #waiting: Waiting[] = [];
  #isClosed = false;
  #changes: StoreChanges = { additions: 0, alterations: 0 };
  #lastDataVersion: unknown;
  #isCurrent = false;

  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#file = path === ":memory:" ? undefined : new DatabaseFile(path);
    this.#insert = prepare(db, INSERT_PET);
    this.#get = prepare(db, SELECT_PET);
    this.#dataVersion = db.prepare("PRAGMA data_version");
    this.#all = preparePage(db, ALL_PETS);
    this.#ofStatus = preparePage(db, PETS_OF_STATUS);
  }

  create({ name, categoryId, status }: PetDraft): Promise<bigint> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw closed();
      const row: Waiting["row"] = [name, categoryId, statusCode(status)];
      if (this.#waiting.push({ row, resolve, reject }) === 1) this.#commitSoon();
    });
  }

  /**
   * Commits after a turn of the event loop in which no further create has come. So a lone create waits for no other,
   * and those that many clients send at once share one transaction and one sync of the disk.
   */
  #commitSoon(): void {
    const count = this.#waiting.length;
    setImmediate(() => {
      if (this.#waiting.length > count && this.#waiting.length < MAX_BATCH) this.#commitSoon();
      else this.#commitWaiting();
    });
  }

  get(id: bigint): string | undefined {
    return this.#read(() => this.#get.get(id)?.["json"] as string | undefined);
  }

  list({ after, limit, status }: PetQuery): PetPage {
    return this.#read(() =>
      status === undefined
        ? readPage(this.#all, [], after, limit)
        : readPage(this.#ofStatus, [statusCode(status)], after, limit)
    );
  }

  changes(): StoreChanges {
    if (!this.#isCurrent) this.#lookForChanges();
    return this.#changes;
  }

  /**
   * Whether another connection has written, in this process or another one. Once a turn of the event loop: what is
   * handled in one turn had been received when it began. What cannot be known has changed.
   */
  #lookForChanges(): void {
    const version = this.#isClosed ? undefined : readDataVersion(this.#dataVersion);
    if (version === undefined || version !== this.#lastDataVersion) {
      this.#changes = { ...this.#changes, alterations: this.#changes.alterations + 1 };
    }
    this.#lastDataVersion = version;
    if (version === undefined) return;
    this.#isCurrent = true;
    setImmediate(() => this.#isCurrent = false);
  }

  check(): void {
    this.get(1n);
    this.#requireFile();
  }

  /** What is written to a file that has been deleted, or replaced by another, is lost with the process. */
  #requireFile(): void {
    if (this.#file?.isGone()) {
      throw new StoreUnavailableError("The database file has been deleted or replaced; restart with the right one");
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#commitWaiting();
    this.#isClosed = true;
    this.#isCurrent = false;
    this.#db.close();
    this.#file?.release();
  }

  #read<T>(query: () => T): T {
    try {
      return query();
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  #commitWaiting(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length === 0) return;
    const acknowledgements: (() => void)[] = [];
    try {
      this.#requireFile();
      this.#db.exec("BEGIN IMMEDIATE");
      for (const waiting of batch) acknowledgements.push(this.#insertOne(waiting));
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#abandon(batch, error);
      return;
    }
    this.#changes = { ...this.#changes, additions: this.#changes.additions + 1 };
    for (const acknowledge of acknowledgements) acknowledge();
  }

  /** Inserts one row of a batch. A row that breaks a constraint fails alone: SQLite undoes only its own statement. */
  #insertOne({ row, resolve, reject }: Waiting): () => void {
    try {
      const { lastInsertRowid } = this.#insert.run(...row);
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

interface PageStatements {
  page: StatementSync;
  more: StatementSync;
}

function prepare(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

function preparePage(db: DatabaseSync, { page, more }: PageSql): PageStatements {
  return { page: prepare(db, page), more: prepare(db, more) };
}

function readPage({ page, more }: PageStatements, filter: bigint[], after: bigint, limit: number): PetPage {
  const row = page.get(...filter, after, BigInt(limit));
  const json = row?.["json"] as string;
  const last = row?.["last"] as bigint;
  const isFull = row?.["count"] === BigInt(limit);
  return isFull && more.get(...filter, last) !== undefined ? { json, next: last } : { json };
}

function readDataVersion(statement: StatementSync): unknown {
  try {
    return statement.get()?.["data_version"];
  } catch {
    return undefined;
  }
}

function closed(): StoreUnavailableError {
  return new StoreUnavailableError("The store has been closed");
}

function statusCode(status: PetStatus): bigint {
  const code = STATUS_CODES.get(status);
  if (code === undefined) throw new TypeError("The status of a pet must be one of the three");
  return code;
}

/** Whether SQLite cannot serve, rather than being asked for nonsense. Where a runtime gives no number, it cannot. */
function isOutage(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: string; errcode?: number };
  if (code === "ERR_INVALID_STATE") return true;
  return code === "ERR_SQLITE_ERROR" && !(errcode !== undefined && DEFECTS.includes(errcode & 0xff));
}

/** What `node:sqlite` throws, as the contract wants it. */
function asUnavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailableError) return error;
  return isOutage(error) ? new StoreUnavailableError((error as Error).message, { cause: error }) : error;
}
