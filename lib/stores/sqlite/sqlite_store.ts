import type { DatabaseSync, StatementSync } from "node:sqlite";
import { chain, type MaybePromise } from "../../promises.ts";
import { statusCode } from "../status_code.ts";
import type { KeyedPetStore, PetPage, PetQuery, StoreChanges } from "../store.ts";
import type { CommittingStore } from "../batch.ts";
import { type Outcome, type Write, WritingStore } from "../write.ts";
import type { KeyStore } from "../key_store.ts";
import { ChangeWatch } from "./change_watch.ts";
import { asUnavailable, isOutage } from "./errors.ts";
import type { OpenDatabase, OpenedFiles } from "./file.ts";
import { sqliteKeys } from "./keys.ts";
import { WriteTransactions } from "./write_transactions.ts";
import { openDatabase } from "./open.ts";
import { FileWatch } from "./file_watch.ts";
import { WriterOwner } from "./writer_link.ts";
import { ALL_PETS, PETS_OF_STATUS, SELECT_PET } from "./statements.ts";
import { prepareExact } from "./transaction.ts";
import { TextCache } from "./text_cache.ts";
import { Writer } from "./writer.ts";

/** How long a commit may take for a create to be committed on the thread that serves, in milliseconds. */
const SHORT_COMMIT = 2;

/** Says when a thread of its own commits the creates: if it is faster, always, or never. */
export type WriterThread = "auto" | "always" | "never";

/**
 * A store on an SQLite file. It reads on the calling thread, by one connection. Before each read it looks whether another connection has
 * committed, so that a response shows what was acknowledged before the request came, by this process or by another.
 */
export class SqliteStore extends WritingStore implements KeyedPetStore, CommittingStore {
  readonly keys: KeyStore;
  readonly #db: DatabaseSync;
  /** The files of the database. Undefined for one in memory. */
  readonly opened: OpenedFiles | undefined;
  readonly isNew: boolean;
  readonly #file: FileWatch;
  readonly #watch: ChangeWatch;
  readonly #writer: Writer;
  readonly #get: StatementSync;
  readonly #texts = new TextCache((id) => this.#readText(id));
  readonly #all: StatementSync;
  readonly #ofStatus: StatementSync;
  /** The thread that writes. Undefined if the calling thread does. */
  readonly thread: WriterOwner | undefined;
  #isClosed = false;

  private constructor({ db, files, isNew }: OpenDatabase, path: string, thread?: WriterOwner, shortCommitMs = 0) {
    super();
    this.#db = db;
    this.opened = files;
    this.isNew = isNew;
    this.#file = new FileWatch({ db, files }, path);
    this.#watch = new ChangeWatch(db, files);
    this.thread = thread;
    this.#writer = new Writer({
      transactions: new WriteTransactions(db, this.#file, this.#watch.shared),
      onCommitted: (writes) => this.#watch.countCommit(writes),
      thread,
      shortCommitMs,
      isLogLong: () => this.#watch.isLogLong,
    });
    this.keys = sqliteKeys(db, this.#file, this.#watch.shared);
    this.#get = prepareExact(db, SELECT_PET);
    this.#all = prepareExact(db, ALL_PETS);
    this.#ofStatus = prepareExact(db, PETS_OF_STATUS);
  }

  static open(path: string, writerThread: WriterThread): SqliteStore {
    requirePath(path);
    const opened = openDatabase(path);
    // A database in memory belongs to one connection.
    const files = writerThread === "never" ? undefined : opened.files;
    return new SqliteStore(opened, path, files && new WriterOwner(files), writerThread === "auto" ? SHORT_COMMIT : 0);
  }

  get batch(): CommittingStore["batch"] {
    return this.#writer.batch;
  }

  write(write: Write): Promise<Outcome> {
    return this.#writer.write(write);
  }

  get(id: bigint): string | undefined {
    // This look also ends an outdated shared transaction, which `#readText()` relies on.
    const { alterations } = this.changes();
    return this.#texts.get(id, alterations);
  }

  #readText(id: bigint): string | undefined {
    try {
      this.#watch.shared?.enter();
      return this.#get.get(id)?.["json"] as string | undefined;
    } catch (error) {
      throw this.#explainRead(error);
    }
  }

  list({ after, limit, status }: PetQuery): PetPage {
    const statement = status === undefined ? this.#all : this.#ofStatus;
    const condition = status === undefined ? [after] : [BigInt(statusCode(status)), after];
    try {
      // The look comes first: it ends a shared transaction that is older than the last commit.
      this.#watch.look();
      this.#watch.shared?.enter();
      const row = statement.get(...condition, BigInt(limit), ...condition);
      const { json, last, next } = row as { json: string; last: bigint; next: bigint | null };
      return next === null ? { json } : { json, next: last };
    } catch (error) {
      throw this.#explainRead(error);
    }
  }

  changes(): StoreChanges {
    return this.#watch.changes();
  }

  check(): void {
    this.#watch.look();
    this.#readText(1n);
    this.#file.requireInPlace();
  }

  close(): MaybePromise<void> {
    if (this.#isClosed) return;
    const written = this.#writer.close();
    this.#isClosed = true;
    this.#watch.close();
    this.#watch.shared?.end();
    // The file is closed after the thread, since the last connection to be closed decides about the log.
    return chain(written, () => this.#file.close());
  }

  #explainRead(error: unknown): unknown {
    try {
      this.#watch.shared?.end();
      if (this.#isClosed) return asUnavailable(error, this.#file.path);
      // Drops SQLite's cached pages, which may be wrong because they were read while the disk failed.
      if (isOutage(error)) this.#db.exec("PRAGMA shrink_memory");
      // If a table is missing because the file was overwritten, this throws a better error.
      else this.#file.requireSchema();
      return asUnavailable(error, this.#file.path);
    } catch (better) {
      return asUnavailable(better, this.#file.path);
    }
  }
}

function requirePath(path: string): void {
  // SQLite would parse file: as a URI, and make a file called sqlite:pets.db.
  const [address, rest] = typeof path === "string" ? /^(?:file|sqlite3?):(.*)/is.exec(path) ?? [] : [];
  if (typeof path !== "string" || path === "" || path.includes("\0") || address !== undefined) {
    const received = typeof path === "string" ? JSON.stringify(path) : typeof path;
    const right = rest && !rest.startsWith("//") ? `; write ${JSON.stringify(rest)}` : "";
    throw new TypeError(`The path of an SQLite store must be the path of a file, or :memory:, not ${received}${right}`);
  }
}
