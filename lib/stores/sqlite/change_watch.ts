/**
 * Keeps the reads of a store fresh: it finds out whether a connection has written to the file, and whether it has only added pets.
 * A read calls `noticeCommits()` first. If its answer is not kept in memory, it then calls `joinSharedRead()`, and reads the file.
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoreChanges } from "../store.ts";
import { CommitWatch } from "./commit_watch.ts";
import type { OpenedFiles } from "./opened_files.ts";
import { SharedRead } from "./shared_read.ts";
import { stampShowsAlterations } from "./schema.ts";
import { SELECT_MARKS } from "./statements.ts";
import { prepareExact } from "./transaction.ts";

/**
 * How many pages the log may have for a commit on the thread that serves. SQLite writes the log back at a thousand, so it is longer only
 * if something has read the file for long, such as a backup, or if a killed process has left it so.
 */
const LONG_LOG_PAGES = 4000;

/** What the file says of its changes at one moment. */
interface Marks {
  /** The version of the schema, which changes with each table, trigger and index. */
  schema: bigint;
  /** A random number, which each change of a pet that is more than an addition replaces. */
  stamp: bigint;
  /** The largest id of a pet. */
  last: bigint;
}

/**
 * Keeps the two counters of `StoreChanges` for one file. The store looks for commits before each read. For speed, the marks of the file are
 * compared only after a commit: the largest id shows additions, and a stamp that triggers write shows everything else.
 */
export class ChangeWatch {
  readonly #db: DatabaseSync;
  readonly #commits: CommitWatch;
  readonly #counters: StoreChanges = { additions: 0, alterations: 0 };
  readonly #selectMarks: StatementSync;
  /** The marks of the last look. They are undefined if anything may have changed since: before the first look and after a failure. */
  #marks: Marks | undefined;
  /** The version of the schema that was examined last, and whether the stamp shows each change of a pet under this schema. */
  #examined: { schema: bigint | undefined; hasTrueStamp: boolean } = { schema: undefined, hasTrueStamp: false };
  /** Whether the connection has been closed, so that the file cannot be asked any more. */
  #isClosed = false;
  /** The transaction that several reads share. It is undefined where a look within a transaction would see no commit. */
  readonly #shared: SharedRead | undefined;

  /** @param files The files of the database, or undefined if it is in memory. */
  constructor(db: DatabaseSync, files: OpenedFiles | undefined) {
    this.#db = db;
    this.#selectMarks = prepareExact(db, SELECT_MARKS);
    this.#commits = new CommitWatch(db, files);
    this.#shared = this.#commits.hasIndex ? new SharedRead(db) : undefined;
  }

  /**
   * Looks for commits, and returns the counters. If there was a commit, the transaction that reads share ends, because
   * it would not show it.
   */
  noticeCommits(): StoreChanges {
    if (this.#isClosed) this.#counters.alterations++;
    else this.#look();
    return this.#counters;
  }

  /** Lets a read of the file share a transaction with the reads before it, for speed. The caller has just looked for commits. */
  joinSharedRead(): void {
    this.#shared?.join();
  }

  /** Ends the transaction that reads share, before this connection writes, or reads something that must be fresh without a look. */
  endSharedRead(): void {
    this.#shared?.end();
  }

  /** Whether the next commit may have to write a long log back to the file, which takes seconds for a gigabyte. */
  get isLogLong(): boolean {
    try {
      const pages = this.#commits.pagesInLog();
      // Without an index, no length is ever known. To take each log for a long one would then slow down every create.
      return pages !== undefined && pages > LONG_LOG_PAGES;
    } catch {
      // The length cannot be read at the moment, so the log may be long.
      return true;
    }
  }

  /** Ends the looks at the file. From now on, every look says that the file may have changed. */
  close(): void {
    this.#isClosed = true;
    this.endSharedRead();
  }

  #look(): void {
    try {
      if (!this.#commits.hasNew()) return;
      this.endSharedRead();
      this.#countSinceLastLook();
    } catch {
      // What has happened is not known, so everything that was read before may be stale.
      this.endSharedRead();
      this.#marks = undefined;
      this.#counters.alterations++;
    }
  }

  /** Compares the marks with those of the last look, and counts what has happened in between. */
  #countSinceLastLook(): void {
    const before = this.#marks;
    const now = this.#readMarks();
    this.#marks = now;
    const isAltered = !before || !now || now.schema !== before.schema || now.stamp !== before.stamp ||
      now.last < before.last;
    if (isAltered) this.#counters.alterations++;
    else if (now.last > before.last) this.#counters.additions++;
  }

  /** Reads the marks. They are undefined if they do not show each change, for example because a trigger was removed. */
  #readMarks(): Marks | undefined {
    const marks = this.#selectMarks.get() as unknown as Marks | undefined;
    if (marks && marks.schema !== this.#examined.schema) {
      this.#examined = { schema: marks.schema, hasTrueStamp: stampShowsAlterations(this.#db) };
    }
    return this.#examined.hasTrueStamp ? marks : undefined;
  }
}
