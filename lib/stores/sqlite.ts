/**
 * Pets in an SQLite file, through the `node:sqlite` of Deno, Node and Bun.
 *
 * @example
 * ```ts
 * import { createPetstore } from "@petstore/petstore";
 * import { createSqliteStore } from "@petstore/petstore/sqlite";
 *
 * const store = createSqliteStore(":memory:"); // or a path, such as "data/petstore.db"
 * const { handle } = createPetstore({ store, keys: ["pk_example"] });
 * const answer = await handle(
 *   new Request("http://localhost/v1/pets", { headers: { authorization: "Bearer pk_example" } }),
 * );
 * console.assert(answer.status === 200);
 * await store.close();
 * ```
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { PET_STATUSES, type PetStatus } from "../pet.ts";
import { openDatabase, rollback } from "./sqlite_open.ts";
import { type PetDraft, type PetPage, type PetQuery, type PetStore, StoreUnavailableError } from "./store.ts";

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
  if (typeof path !== "string" || path === "" || path.includes("\0")) {
    throw new TypeError("The path of an SQLite store must be a file's path or :memory:");
  }
  return new SqliteStore(openDatabase(path));
}

/** Numbers are bound as bigint throughout: `node:sqlite` binds a JavaScript number as REAL. */
const STATUS_CODES: Record<PetStatus, bigint> = { available: 0n, pending: 1n, sold: 2n };

/** The JSON of a row, made by SQLite itself: half the time of making objects out of rows and text out of objects. */
const PET_JSON = `json_object('id', id, 'name', name, 'categoryId', category_id, 'status',
  CASE status ${PET_STATUSES.map((status) => `WHEN ${STATUS_CODES[status]} THEN '${status}'`).join(" ")} END)`;

/** SQLITE_ERROR and SQLITE_CONSTRAINT: the statement is wrong, not the state of the world. */
const DEFECTS = [1, 19];

interface Waiting {
  pet: PetDraft;
  resolve(id: bigint): void;
  reject(error: unknown): void;
}

class SqliteStore implements PetStore {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #get: StatementSync;
  readonly #all: PageStatements;
  readonly #ofStatus: PageStatements;
  #waiting: Waiting[] = [];
  #isClosed = false;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#insert = prepare(db, "INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)");
    this.#get = prepare(db, `SELECT ${PET_JSON} AS json FROM pets WHERE id = ?`);
    this.#all = preparePage(db, "id > ?");
    this.#ofStatus = preparePage(db, "status = ? AND id > ?");
  }

  create(pet: PetDraft): Promise<bigint> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new StoreUnavailableError("The store has been closed");
      // One turn of the event loop gathers whatever has arrived in it; a lone create waits for no other.
      if (this.#waiting.push({ pet, resolve, reject }) === 1) setImmediate(() => this.#commitWaiting());
    });
  }

  get(id: bigint): string | undefined {
    return this.#read(() => this.#get.get(id)?.["json"] as string | undefined);
  }

  list({ after, limit, status }: PetQuery): PetPage {
    return this.#read(() =>
      status === undefined
        ? readPage(this.#all, [], after, limit)
        : readPage(this.#ofStatus, [STATUS_CODES[status]], after, limit)
    );
  }

  check(): void {
    this.get(1n);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#commitWaiting();
    this.#isClosed = true;
    this.#db.close();
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
      this.#db.exec("BEGIN IMMEDIATE");
      for (const waiting of batch) acknowledgements.push(this.#insertOne(waiting));
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#abandon(batch, error);
      return;
    }
    for (const acknowledge of acknowledgements) acknowledge();
  }

  /** Inserts one row of a batch. A row that breaks a constraint fails alone: SQLite undoes only its own statement. */
  #insertOne({ pet, resolve, reject }: Waiting): () => void {
    try {
      const { lastInsertRowid } = this.#insert.run(pet.name, pet.categoryId, STATUS_CODES[pet.status]);
      const id = BigInt(lastInsertRowid);
      return () => resolve(id);
    } catch (error) {
      if (!isDefect(error)) throw error;
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

function preparePage(db: DatabaseSync, condition: string): PageStatements {
  const rows = `SELECT id, name, category_id, status FROM pets WHERE ${condition} ORDER BY id LIMIT ?`;
  return {
    page: prepare(
      db,
      `SELECT json_group_array(${PET_JSON}) AS json, count(*) AS count, max(id) AS last FROM (${rows})`,
    ),
    more: prepare(db, `SELECT 1 FROM pets WHERE ${condition} LIMIT 1`),
  };
}

function readPage({ page, more }: PageStatements, filter: bigint[], after: bigint, limit: number): PetPage {
  const row = page.get(...filter, after, BigInt(limit));
  const json = row?.["json"] as string;
  const last = row?.["last"] as bigint;
  const isFull = row?.["count"] === BigInt(limit);
  return isFull && more.get(...filter, last) !== undefined ? { json, next: last } : { json };
}

function isDefect(error: unknown): boolean {
  const code = (error as { errcode?: number } | null)?.errcode;
  return code !== undefined && DEFECTS.includes(code & 0xff);
}

/** What `node:sqlite` throws, as the contract wants it. Where a runtime gives no number, the disk is suspected first. */
function asUnavailable(error: unknown): unknown {
  const code = (error as { code?: string } | null)?.code;
  const isSqlite = code === "ERR_SQLITE_ERROR" || code === "ERR_INVALID_STATE";
  if (!isSqlite || isDefect(error)) return error;
  return new StoreUnavailableError((error as Error).message, { cause: error });
}
