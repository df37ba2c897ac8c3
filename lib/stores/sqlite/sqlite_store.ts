import { chain, type MaybePromise } from "../../promises.ts";
import type { CommittingStore, ObservedBatch } from "../database/batch.ts";
import type { KeyStore } from "../key_store.ts";
import type { KeyedPetStore, PetPage, PetQuery, StoreChanges } from "../store.ts";
import { type Outcomes, type Write, WritingStore } from "../database/writing_store.ts";
import { ChangeWatch } from "./change_watch.ts";
import type { Connection } from "./connection.ts";
import { explained } from "./errors.ts";
import { sqliteKeys } from "./keys.ts";
import { openDatabase } from "./open.ts";
import { requireInPlace } from "./opened_files.ts";
import { PetReader } from "./pet_reader.ts";
import { TextCache } from "./text_cache.ts";
import { Writer, type WriterThread } from "./writer.ts";

/**
 * Opens or creates the database.
 *
 * @throws {TypeError} If `path` is not a path.
 * @throws {StoreUnavailableError} If the file cannot be used.
 */
export function openSqliteStore(path: string, writerThread: WriterThread): SqliteStore {
  requirePath(path);
  const connection = openDatabase(path);
  try {
    // Its statements do not fit a file that has lost a table or a column.
    return explained(path, () => new SqliteStore(connection, writerThread));
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * A store on an SQLite file, made of these parts:
 *
 * - A connection, by which the store reads on the calling thread.
 * - A {@link PetReader}, which has the statements that read pets.
 * - A {@link TextCache}, which keeps the texts of pets that are read often.
 * - A {@link ChangeWatch}, which notices what any connection has committed, of this process or of
 *   another. Before a kept text is used, it is asked, so that a response shows what was
 *   acknowledged before the request came.
 * - A {@link Writer}, which commits on the calling thread or on a thread of its own.
 */
export class SqliteStore extends WritingStore implements KeyedPetStore, CommittingStore {
  readonly keys: KeyStore;
  readonly #connection: Connection;
  readonly #watch: ChangeWatch;
  readonly #writer: Writer;
  readonly #reader: PetReader;
  readonly #texts = new TextCache();

  /**
   * @param connection The connection by which the store reads, and commits on the calling thread.
   * The store closes it.
   */
  constructor(connection: Connection, writerThread: WriterThread) {
    super();
    this.keys = sqliteKeys(connection);
    this.#connection = connection;
    this.#watch = new ChangeWatch(connection);
    this.#writer = new Writer(connection, writerThread);
    this.#reader = new PetReader(connection);
  }

  /** The path of the file itself, without symbolic links; undefined if the database is in memory. */
  get path(): string | undefined {
    return this.#connection.files?.path;
  }

  /** Whether this store has made the tables. */
  get isNew(): boolean {
    return this.#connection.isNew;
  }

  get batch(): ObservedBatch {
    return this.#writer.batch;
  }

  /**
   * Carries out a create, or another write that {@link WritingStore} asks for:
   *
   * 1. The writer checks the pet, and adds the write to a batch with others that come at about the
   *    same time.
   * 2. The calling thread or the store's own commits the batch in one transaction
   *    (`WriteTransactions`), in order of arrival.
   * 3. The promise resolves when the transaction is on disk.
   */
  write<W extends Write>(write: W): Promise<Outcomes[W["kind"]]> {
    return this.#writer.write(write);
  }

  /**
   * Looks for commits before it reads, because another program may commit in between. In this
   * order:
   *
   * 1. The look counts nothing.
   * 2. The other program commits.
   * 3. The read finds the new text, which is kept under the old counter. The next look counts, and
   *    the text is dropped.
   *
   * In the other order, a stale text would be sent:
   *
   * 1. The read finds the old text.
   * 2. The other program commits.
   * 3. The look counts, and the old text is kept under the new counter.
   */
  get(id: bigint): string | undefined {
    this.#watch.noticeCommits();
    const { alterations } = this.#watch.counters;
    const kept = this.#texts.find(id, alterations);
    if (kept !== undefined) return kept;
    const text = this.#reader.get(id);
    if (text !== undefined) this.#texts.offer(id, text, alterations);
    return text;
  }

  list(query: PetQuery): PetPage {
    this.#watch.noticeCommits();
    return this.#reader.list(query);
  }

  changes(): StoreChanges {
    this.#watch.noticeCommits();
    return this.#watch.counters;
  }

  check(): void {
    this.#watch.noticeCommits();
    // Any id shows whether pets can be read, also one that no pet has.
    this.#reader.get(1n);
    requireInPlace(this.#connection.files);
  }

  close(): MaybePromise<void> {
    if (this.#writer.batch.isClosed) return;
    const written = this.#writer.close();
    this.#watch.close();
    // The file is closed after the thread has closed its connection: the last connection to be
    // closed writes the log back and removes it.
    return chain(written, () => this.#connection.close());
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
