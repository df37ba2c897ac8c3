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
import { ReadAhead } from "./read_ahead.ts";
import { GroupCommit } from "./commit.ts";
import { asUnavailable, isOutage } from "./errors.ts";
import type { DatabaseFiles } from "./file.ts";
import { openDatabase } from "./open.ts";
import { SchemaWatch } from "./schema.ts";
import { ALL_PETS, type PageSql, PETS_OF_STATUS, SELECT_PET, statusCode } from "./statements.ts";
import type {
  IdempotentOutcome,
  IdempotentRequest,
  PetDraft,
  PetPage,
  PetQuery,
  PetStore,
  StoreChanges,
} from "../store.ts";

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
  return new SqliteStore(path);
}

/**
 * Databases whose files are not in their places. SQLite deletes a log by its name when it closes the last connection: by now
 * that may be another database's. Kept here, because what is collected as garbage is closed as well.
 */
const LEFT_OPEN: DatabaseSync[] = [];

class SqliteStore implements PetStore {
  readonly #db: DatabaseSync;
  readonly #files: DatabaseFiles | undefined;
  readonly #schema: SchemaWatch;
  readonly #commits: GroupCommit;
  readonly #pages: ReadAhead;
  readonly #get: StatementSync;
  readonly #dataVersion: StatementSync;
  readonly #all: PageStatements;
  readonly #ofStatus: PageStatements;
  #isClosed = false;
  #changes: StoreChanges = { additions: 0, alterations: 0 };
  #lastDataVersion: unknown;
  #isCurrent = false;

  constructor(path: string) {
    const { db, files } = openDatabase(path);
    const schema = this.#schema = new SchemaWatch(db, path);
    this.#db = db;
    this.#files = files;
    this.#commits = new GroupCommit(db, {
      before: () => {
        // Not after the commit as well: a file that is moved in between might as well have been moved a moment later.
        files?.requireInPlace();
        schema.require();
      },
      after: () => this.#changes = { ...this.#changes, additions: this.#changes.additions + 1 },
    });
    this.#pages = new ReadAhead((query) => this.#readPage(query), (work) => setImmediate(() => this.#readAhead(work)));
    this.#get = prepare(db, SELECT_PET);
    this.#dataVersion = db.prepare("PRAGMA data_version");
    this.#all = preparePage(db, ALL_PETS);
    this.#ofStatus = preparePage(db, PETS_OF_STATUS);
  }

  create(pet: PetDraft): Promise<bigint> {
    return this.#commits.add(pet);
  }

  createOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    return this.#commits.addOnce(pet, request);
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
      : readPage(this.#ofStatus, [statusCode(status), after], limit);
  }

  /** Nobody has asked yet, so nobody is told if it fails: who asks will be. */
  #readAhead(work: () => void): void {
    try {
      if (!this.#isClosed) work();
    } catch {
      // See above.
    }
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
      // Pages that were read while the disk failed are not to be believed when it has been mended.
      if (isOutage(error)) this.#db.exec("PRAGMA shrink_memory");
      // A table is missing because the file was overwritten.
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
