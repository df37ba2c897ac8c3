/** The store: reads on this thread, and creates through a writer. `sqlite_store.ts` is the entry point. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Pending } from "../../pending.ts";
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
import { ChangeWatch } from "./change_watch.ts";
import { Transactions } from "./commit.ts";
import { asUnavailable, isOutage } from "./errors.ts";
import type { DatabaseFiles } from "./file.ts";
import { openDatabase } from "./open.ts";
import { ReadAhead } from "./read_ahead.ts";
import { SchemaWatch } from "./schema.ts";
import { WriterThread } from "./start_writer.ts";
import { ALL_PETS, type PageSql, PETS_OF_STATUS, SELECT_PET } from "./statements.ts";
import { Writer } from "./writer.ts";
import type { ConnectWriter, WriterPort } from "./writer_messages.ts";

/**
 * Databases that stay open because their files have been moved or replaced. Closing one would delete the log of that name,
 * which may now belong to another database. They are referenced here, because garbage collection would close them too.
 */
const LEFT_OPEN: DatabaseSync[] = [];

export class SqliteStore implements PetStore {
  readonly #db: DatabaseSync;
  readonly #files: DatabaseFiles | undefined;
  readonly #schema: SchemaWatch;
  readonly #watch: ChangeWatch;
  readonly #writer: Writer;
  readonly #pages = new ReadAhead((query) => this.#readPage(query));
  readonly #get: StatementSync;
  readonly #all: PageStatements;
  readonly #ofStatus: PageStatements;
  #thread: WriterThread | undefined;
  #isClosed = false;

  /**
   * @param path As of `createSqliteStore()`.
   * @param writer Who commits: a thread of this store, the calling thread, or a writer to connect to.
   */
  constructor(path: string, writer: "thread" | "same-thread" | ConnectWriter) {
    requirePath(path);
    const { db, files } = openDatabase(path);
    const schema = this.#schema = new SchemaWatch(db, path);
    this.#db = db;
    this.#files = files;
    this.#watch = new ChangeWatch(db);
    const transactions = new Transactions(db, () => {
      // Checking before the commit is enough, because the file might as well be moved right after the commit.
      files?.requireInPlace();
      schema.require();
    });
    const connect = writer === "thread" ? (lost: () => void) => this.connectWriter(lost) : writer;
    this.#writer = new Writer(
      transactions,
      () => this.#watch.added(),
      connect === "same-thread" ? undefined : connect,
    );
    this.#get = prepare(db, SELECT_PET);
    this.#all = preparePage(db, ALL_PETS);
    this.#ofStatus = preparePage(db, PETS_OF_STATUS);
  }

  /**
   * Connects another store to the thread of this one. Starts it if there is none, or if it has ended.
   *
   * @param lost Called when the thread has ended although this store is open.
   * @returns A port, which can be sent to another thread. Undefined if no thread can be started.
   */
  async connectWriter(lost: () => void): Promise<WriterPort | undefined> {
    if (this.#isClosed || !this.#files) return undefined;
    if (!this.#thread || this.#thread.hasEnded) this.#thread = WriterThread.start(this.#files.opened);
    return await this.#thread?.connect(lost);
  }

  /** Starts the thread that writes. Without this call, the first create does. */
  async startWriter(): Promise<void> {
    await this.#writer.connect();
  }

  async create(pet: PetDraft): Promise<bigint> {
    // Without a request, the outcome is "created".
    const { id } = await this.#writer.add(pet) as { id: bigint };
    return id;
  }

  createOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    return this.#writer.add(pet, request);
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
    return this.#watch.changes();
  }

  check(): void {
    this.get(1n);
    this.#files?.requireInPlace();
  }

  close(): Pending<void> {
    if (this.#isClosed) return;
    const written = this.#writer.close();
    this.#isClosed = true;
    const thread = this.#thread;
    if (!written && !thread) return this.#closeDatabase();
    return Promise.resolve(written).then(() => thread?.close()).then(() => this.#closeDatabase());
  }

  #closeDatabase(): void {
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

function requirePath(path: string): void {
  // SQLite would parse file: as a URI, which may have parameters.
  if (typeof path !== "string" || path === "" || path.includes("\0") || /^file:/i.test(path)) {
    const given = typeof path === "string" ? JSON.stringify(path) : typeof path;
    throw new TypeError(`The path of an SQLite store must be the path of a file, or :memory:, not ${given}`);
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
