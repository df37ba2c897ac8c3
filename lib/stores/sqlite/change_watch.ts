/** Finds out whether a connection has written to the file of a store, and whether it has only added pets. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoreChanges } from "../store.ts";
import type { Connection } from "./connection.ts";
import { LogIndex } from "./log_index.ts";
import { stampShowsAlterations } from "./schema_text.ts";
import { prepareWithBigInts } from "./transaction.ts";

/**
 * Reads the marks by which changes are noticed. The version of the schema is one of them: it
 * changes at each change of a table or a trigger, and when another database is restored over the
 * file. A test checks SQLite's plan for the statement.
 */
export const SELECT_MARKS = `SELECT (SELECT schema_version FROM pragma_schema_version) AS schema, stamp,
  ifnull((SELECT max(id) FROM pets), 0) AS last FROM alteration`;

/** What the file says of its changes at one moment. */
interface Marks {
  /** The version of the schema, which changes with each table, trigger and index. */
  schema: bigint;
  /** A random number, which each change of a pet that is more than an addition replaces. */
  stamp: bigint;
  /** The largest id of a pet. */
  last: bigint;
  /** Whether the stamp shows each change under this schema. It does not if a trigger was removed, for example. */
  areTrue: boolean;
}

/**
 * Keeps the two counters of `StoreChanges` for one file, by comparing marks of the file: the
 * largest id shows additions, and a stamp that triggers write shows everything else.
 */
export class ChangeWatch {
  readonly #db: DatabaseSync;
  /**
   * Tells cheaply that there was no commit, so that the marks need not be compared. Without it,
   * each look compares them.
   */
  #index: LogIndex | undefined;
  /** The changes that were noticed so far. It is one object, which {@link noticeCommits} changes. */
  readonly counters: StoreChanges = { additions: 0, alterations: 0 };
  readonly #selectMarks: StatementSync;
  /**
   * The marks of the last look. They are undefined if anything may have changed since: before the
   * first look and after a failure.
   */
  #marks: Marks | undefined;

  constructor({ db, files }: Connection) {
    this.#db = db;
    this.#selectMarks = prepareWithBigInts(db, SELECT_MARKS);
    this.#index = files && LogIndex.open(files.path);
  }

  /** Looks for commits since the last look, and counts them. */
  noticeCommits(): void {
    try {
      const mayHaveChanged = this.#index?.hasNewCommit() ?? true;
      if (mayHaveChanged) this.#countSinceLastLook();
    } catch {
      // What has happened is not known, so everything that was read before may be stale.
      this.#marks = undefined;
      this.counters.alterations++;
    }
  }

  /**
   * Ends the looks at the index, before the connection is closed. From then on the marks cannot be
   * read, so each look is a failure.
   */
  close(): void {
    this.#index = undefined;
  }

  /** Compares the marks with those of the last look, and counts what has happened in between. */
  #countSinceLastLook(): void {
    const before = this.#marks;
    const now = this.#readMarks();
    this.#marks = now;
    if (!before || isAltered(before, now)) this.counters.alterations++;
    else if (now.last > before.last) this.counters.additions++;
  }

  #readMarks(): Marks {
    const marks = this.#selectMarks.get() as unknown as Omit<Marks, "areTrue">;
    const before = this.#marks;
    // The schema is examined when it has changed.
    const areTrue = marks.schema === before?.schema ? before.areTrue : stampShowsAlterations(this.#db);
    return { ...marks, areTrue };
  }
}

function isAltered(before: Marks, now: Marks): boolean {
  return !now.areTrue || now.schema !== before.schema || now.stamp !== before.stamp || now.last < before.last;
}
