/**
 * Keeps pets in an SQLite file, through the module `node:sqlite` of Deno, Node or Bun.
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
import { statusCode } from "../status_code.ts";
import type {
  IdempotentOutcome,
  IdempotentRequest,
  PetDraft,
  PetPage,
  PetQuery,
  PetStore,
  StoreChanges,
} from "../store.ts";
import { GroupCommit } from "./commit.ts";
import { asUnavailable, isOutage } from "./errors.ts";
import type { DatabaseFiles } from "./file.ts";
import { openDatabase } from "./open.ts";
import { ReadAhead } from "./read_ahead.ts";
import { SchemaWatch } from "./schema.ts";
import { ALL_PETS, type PageSql, PETS_OF_STATUS, SELECT_PET } from "./statements.ts";

/**
 * Opens or creates an SQLite database, and keeps pets in it.
 *
 * A create resolves when it is on disk (write-ahead log, `synchronous = FULL`). Creates that arrive together share one
 * transaction. Reads return without a promise. Several processes may use one file. If another process holds the write
 * lock, creates wait for it, up to 1 second.
 *
 * @param path The path of the database file, absolute or relative to the working directory. Its folder must exist. Use
 * `:memory:` for a database without a file. A `file:` URL is not accepted.
 * @returns The open store. Closing it writes the log back into the file.
 * @throws {TypeError} If `path` is not a path.
 * @throws {StoreUnavailableError} If the file belongs to another program, needs a later release, is locked or corrupt, or
 * cannot be opened or written. The file is then unchanged.
 */
export function createSqliteStore(path: string): PetStore {
  // SQLite would parse file: as a URI, which may have parameters.
  if (typeof path !== "string" || path === "" || path.includes("\0") || /^file:/i.test(path)) {
    const given = typeof path === "string" ? JSON.stringify(path) : typeof path;
    throw new TypeError(`The path of an SQLite store must be the path of a file, or :memory:, not ${given}`);
  }
  return new SqliteStore(path);
}

/**
 * Databases that stay open because their files have been moved or replaced. Closing one would delete the log of that name,
 * which may now belong to another database. They are referenced here, because garbage collection would close them too.
 */
const LEFT_OPEN: DatabaseSync[] = [];

class SqliteStore implements PetStore {
  readonly #db: DatabaseSync;
  readonly #files: DatabaseFiles | undefined;
  readonly #schema: SchemaWatch;
  readonly #commits: GroupCommit;
  readonly #pages = new ReadAhead((query) => this.#readPage(query));
  readonly #get: StatementSync;
  readonly #dataVersion: StatementSync;
  readonly #all: PageStatements;
  readonly #ofStatus: PageStatements;
  #isClosed = false;
  readonly #changes: StoreChanges = { additions: 0, alterations: 0 };
  #lastDataVersion: unknown;
  #isCurrent = false;

  constructor(path: string) {
    const { db, files } = openDatabase(path);
    const schema = this.#schema = new SchemaWatch(db, path);
    this.#db = db;
    this.#files = files;
    this.#commits = new GroupCommit(db, {
      before: () => {
        // Checking before the commit is enough, because the file might as well be moved right after the commit.
        files?.requireInPlace();
        schema.require();
      },
      after: () => this.#changes.additions++,
    });
    this.#get = prepare(db, SELECT_PET);
    this.#dataVersion = db.prepare("PRAGMA data_version");
    this.#all = preparePage(db, ALL_PETS);
    this.#ofStatus = preparePage(db, PETS_OF_STATUS);
  }

  async create(pet: PetDraft): Promise<bigint> {
    // Without a request, the outcome is "created".
    const { id } = await this.#commits.add(pet) as { id: bigint };
    return id;
  }

  createOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    return this.#commits.add(pet, request);
  }

  get(id: bigint): string | undefined {
    return this.#read(() => this.#get.get(id)?.["json"] as string | undefined);
  }

  list(query: PetQuery): PetPage {
    return this.#read(() => this.#pages.list(query, this.changes().alterations));
  }

  #readPage({ after, limit, status }: PetQuery): PetPage {
    return status === undefined
      ? readPage(this.#all, [after], limit)
      : readPage(this.#ofStatus, [BigInt(statusCode(status)), after], limit);
  }

  changes(): StoreChanges {
    if (!this.#isCurrent) this.#lookForChanges();
    return this.#changes;
  }

  /**
   * Checks whether another connection has written to the file. Once per turn of the event loop is enough, because the
   * requests that a turn handles arrived before it. A failed check counts as a change.
   */
  #lookForChanges(): void {
    const version = this.#isClosed ? undefined : readDataVersion(this.#dataVersion);
    if (version === undefined || version !== this.#lastDataVersion) this.#changes.alterations++;
    this.#lastDataVersion = version;
    if (version === undefined) return;
    this.#isCurrent = true;
    setImmediate(() => this.#isCurrent = false);
  }

  check(): void {
    this.get(1n);
    this.#files?.requireInPlace();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#commits.close();
    this.#isClosed = true;
    this.#isCurrent = false;
    try {
      this.#files?.requireInPlace();
    } catch {
      LEFT_OPEN.push(this.#db);
      return;
    }
    this.#db.close();
  }

  #read<T>(query: () => T): T {
    try {
      return query();
    } catch (error) {
      throw this.#isClosed ? asUnavailable(error) : this.#explain(error);
    }
  }

  #explain(error: unknown): unknown {
    try {
      // Drops SQLite's cached pages, which may be wrong because they were read while the disk failed.
      if (isOutage(error)) this.#db.exec("PRAGMA shrink_memory");
      // If a table is missing because the file was overwritten, this throws a better error.
      else this.#schema.require();
      return asUnavailable(error);
    } catch (better) {
      return asUnavailable(better);
    }
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

function readPage({ page, more }: PageStatements, condition: bigint[], limit: number): PetPage {
  const row = page.get(...condition, ...condition, BigInt(limit));
  const { json, count, last } = row as { json: string; count: bigint; last: bigint };
  const isLast = count < limit || more.get(...condition.with(-1, last)) === undefined;
  return isLast ? { json } : { json, next: last };
}

function readDataVersion(statement: StatementSync): unknown {
  try {
    return statement.get()?.["data_version"];
  } catch {
    return undefined;
  }
}
