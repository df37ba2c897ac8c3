/** Finds out whether other connections have written to the file, and whether they have only added pets. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoreChanges } from "../store.ts";
import { countWrite, type Write } from "../write.ts";
import { CommitWatch } from "./commit_watch.ts";
import type { OpenedFiles } from "./file.ts";
import { SharedRead } from "./shared_read.ts";
import { showsAlterations } from "./schema.ts";
import { SELECT_MARKS } from "./statements.ts";
import { prepareExact } from "./transaction.ts";

/**
 * How many pages the log may have for a commit on the thread that serves. SQLite writes the log back at a thousand, so it is longer only
 * if something has read the file for long, such as a backup, or if a killed process has left it so.
 */
const LONG_LOG = 4000;

interface Marks {
  /** The version of the schema, which changes with each table, trigger and index. */
  schema: bigint;
  /** Another number after each change of a pet that is more than an addition. */
  stamp: bigint;
  /** The largest id of a pet. */
  last: bigint;
}

/**
 * Keeps the two counters of `StoreChanges` for one file. It looks before each read, and compares the marks of the file only if there was a
 * commit: the largest id shows additions, and a stamp that triggers write shows everything else.
 */
export class ChangeWatch {
  readonly #db: DatabaseSync;
  readonly #commits: CommitWatch;
  readonly #counters: StoreChanges = { additions: 0, alterations: 0 };
  #selectMarks: StatementSync | undefined;
  /** The marks of the last look. They are undefined before the first one and after a failure, when anything may have changed. */
  #marks: Marks | undefined;
  /** The version of the schema that was looked at last, and whether the stamp shows each change of a pet with it. */
  #checked: { schema: bigint | undefined; isTracked: boolean } = { schema: undefined, isTracked: false };
  #isClosed = false;
  /** What several reads share. It is absent where a look cannot see each commit within a transaction. */
  readonly shared: SharedRead | undefined;

  /** @param files Those of the database, or undefined if it is in memory. */
  constructor(db: DatabaseSync, files: OpenedFiles | undefined) {
    this.#db = db;
    this.#commits = new CommitWatch(db, files);
    this.shared = this.#commits.isComplete ? new SharedRead(db) : undefined;
  }

  changes(): StoreChanges {
    this.look();
    return this.#counters;
  }

  /** Looks for commits of other connections, and ends the shared transaction if there was one. A read must call this before `enter()`. */
  look(): void {
    if (this.#isClosed) this.#counters.alterations++;
    else this.#look();
  }

  /** After this, the file cannot be asked any more, and every call of `changes()` says that it may have changed. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whether the next commit may have to write a long log back to the file, which takes seconds for a gigabyte. */
  get isLogLong(): boolean {
    try {
      return this.#commits.pagesInLog() > LONG_LOG;
    } catch {
      return true;
    }
  }

  #look(): void {
    try {
      if (!this.#commits.hasNew()) return;
      this.shared?.end();
      this.#compare();
    } catch {
      this.shared?.end();
      this.#marks = undefined;
      this.#counters.alterations++;
    }
  }

  /** Counts writes of this store before their callers are told of them. */
  countCommit(writes: readonly Write[]): void {
    for (const write of writes) countWrite(this.#counters, write);
  }

  #compare(): void {
    const before = this.#marks;
    const now = this.#marks = this.#readMarks();
    const isTracked = before && now && now.schema === before.schema && now.stamp === before.stamp &&
      now.last >= before.last;
    if (!isTracked) this.#counters.alterations++;
    else if (now.last !== before.last) this.#counters.additions++;
  }

  /** The marks, or undefined if they do not show each change, for example because a trigger was removed. */
  #readMarks(): Marks | undefined {
    try {
      this.#selectMarks ??= prepareExact(this.#db, SELECT_MARKS);
      const marks = this.#selectMarks.get() as unknown as Marks | undefined;
      if (marks && marks.schema !== this.#checked.schema) {
        this.#checked = { schema: marks.schema, isTracked: showsAlterations(this.#db) };
      }
      return this.#checked.isTracked ? marks : undefined;
    } catch {
      return undefined;
    }
  }
}
