import type { DatabaseSync, StatementSync } from "node:sqlite";
import { chain, type MaybePromise } from "../../promises.ts";
import type { CommittingStore, ObservedBatch } from "../batch.ts";
import type { KeyStore } from "../key_store.ts";
import { statusCode } from "../status_code.ts";
import type { KeyedPetStore, PetPage, PetQuery, StoreChanges } from "../store.ts";
import { type Outcome, type Write, WritingStore } from "../write.ts";
import { ChangeWatch } from "./change_watch.ts";
import { asUnavailable } from "./errors.ts";
import { FileConnection } from "./file_connection.ts";
import { sqliteKeys } from "./keys.ts";
import { openDatabase } from "./open.ts";
import type { OpenedFiles } from "./opened_files.ts";
import { ALL_PETS, PETS_OF_STATUS, SELECT_PET } from "./statements.ts";
import { TextCache } from "./text_cache.ts";
import { prepareExact } from "./transaction.ts";
import { WriteTransactions } from "./write_transactions.ts";
import { Writer } from "./writer.ts";
import { WritingThread } from "./writing_thread.ts";

/**
 * Which thread commits the creates:
 *
 * - `always`: a thread of the store's own.
 * - `never`: the thread that serves.
 * - `auto`: the thread that serves commits a lone create while commits are short, and the thread of the store's own commits all others.
 */
export type WriterThread = "auto" | "always" | "never";

/**
 * A store on an SQLite file. It reads on the calling thread, by one connection. Before it uses a text that it has kept, it looks whether a
 * connection has committed ({@link ChangeWatch}), so that a response shows what was acknowledged before the request came, by this process or
 * by another.
 */
export class SqliteStore extends WritingStore implements KeyedPetStore, CommittingStore {
  readonly keys: KeyStore;
  /** The files of the database; undefined if it is in memory. */
  readonly files: OpenedFiles | undefined;
  /** Whether this store has made the tables. */
  readonly isNew: boolean;
  /** The thread that writes, which tests end; undefined if the calling thread writes. */
  readonly thread: WritingThread | undefined;
  readonly #db: DatabaseSync;
  /** The connection, which finds out whether the file is still the one that was opened. */
  readonly #file: FileConnection;
  /** Finds out whether what was kept of the file is still true. */
  readonly #watch: ChangeWatch;
  readonly #writer: Writer;
  readonly #selectPet: StatementSync;
  readonly #selectAll: StatementSync;
  readonly #selectOfStatus: StatementSync;
  readonly #texts = new TextCache();
  #isClosed = false;

  /**
   * Opens or creates the database.
   *
   * @throws {TypeError} If `path` is not a path.
   * @throws {StoreUnavailableError} If the file cannot be used.
   */
  constructor(path: string, writerThread: WriterThread) {
    super();
    requirePath(path);
    const opened = openDatabase(path);
    const { db, files, isNew } = opened;
    this.#db = db;
    this.files = files;
    this.isNew = isNew;
    this.#file = new FileConnection(opened, path);
    this.#watch = new ChangeWatch(db, files?.path);
    // A database in memory has no files, and belongs to one connection, so no other thread can write to it.
    this.thread = writerThread === "never" || !files ? undefined : new WritingThread(files);
    this.#writer = new Writer({
      transactions: new WriteTransactions(db, this.#file),
      thread: this.thread,
      mayCommitHere: writerThread === "auto",
      watch: this.#watch,
    });
    this.keys = sqliteKeys(db, this.#file);
    this.#selectPet = prepareExact(db, SELECT_PET);
    this.#selectAll = prepareExact(db, ALL_PETS);
    this.#selectOfStatus = prepareExact(db, PETS_OF_STATUS);
  }

  get batch(): ObservedBatch {
    return this.#writer.batch;
  }

  write(write: Write): Promise<Outcome> {
    return this.#writer.write(write);
  }

  get(id: bigint): string | undefined {
    const { alterations } = this.#watch.noticeCommits();
    const kept = this.#texts.find(id, alterations);
    if (kept !== undefined) return kept;
    const row = this.#read(() => this.#selectPet.get(id));
    if (!row) return undefined;
    const text = row["json"] as string;
    this.#texts.offer(id, text);
    return text;
  }

  list({ after, limit, status }: PetQuery): PetPage {
    // Each statement gives one row with a whole page as JSON. Its condition comes twice: for the pet after the page, and for the page.
    const row = this.#read(() => {
      if (status === undefined) return this.#selectAll.get(after, BigInt(limit), after);
      const code = BigInt(statusCode(status));
      return this.#selectOfStatus.get(code, after, BigInt(limit), code, after);
    });
    const { json, last, following } = row as { json: string; last: bigint; following: bigint | null };
    return following === null ? { json } : { json, next: last };
  }

  changes(): StoreChanges {
    return this.#watch.noticeCommits();
  }

  check(): void {
    // Any id shows whether pets can be read, also one that no pet has.
    this.#read(() => this.#selectPet.get(1n));
    this.#file.requireInPlace();
  }

  close(): MaybePromise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const written = this.#writer.close();
    this.#watch.close();
    // The file is closed after the thread has closed its connection: the last connection to be closed writes the log back and removes it.
    return chain(written, () => this.#file.close());
  }

  #read<T>(select: () => T): T {
    try {
      return select();
    } catch (error) {
      throw asUnavailable(this.#recover(error), this.#file.givenPath);
    }
  }

  /**
   * Prepares the connection for the next read after one that has failed.
   *
   * @returns The error, or one that says more about the file.
   */
  #recover(error: unknown): unknown {
    try {
      // SQLite drops the pages that it has cached: they may be wrong, because they were read while the disk failed.
      this.#db.exec("PRAGMA shrink_memory");
      // If the file was overwritten, or its tables were altered, this throws an error that says so.
      this.#file.requireSchema();
      return error;
    } catch (reason) {
      return reason;
    }
  }
}

/** @throws {TypeError} If `path` is not the path of a file, or `:memory:`. */
function requirePath(path: unknown): void {
  // SQLite would parse file: as a URI, and make a file called sqlite:pets.db.
  const isPath = typeof path === "string" && path !== "" && !path.includes("\0") && !/^(file|sqlite3?):/i.test(path);
  if (isPath) return;
  const given = typeof path === "string" ? JSON.stringify(path) : typeof path;
  throw new TypeError(`The path of an SQLite store must be the path of a file, or :memory:, not ${given}`);
}
