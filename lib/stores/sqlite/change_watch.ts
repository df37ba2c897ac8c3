/** Finds out whether a connection has written to the file of a store, and whether it has only added pets. */

import { readSync } from "node:fs";
import type { StatementSync } from "node:sqlite";
import type { StoreChanges } from "../store.ts";
import type { Connection } from "./connection.ts";
import { descriptorOf } from "./opened_files.ts";
import { stampShowsAlterations } from "./schema.ts";
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
  readonly #connection: Connection;
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

  constructor(connection: Connection) {
    const { db, files } = connection;
    this.#connection = connection;
    this.#selectMarks = prepareWithBigInts(db, SELECT_MARKS);
    try {
      this.#index = files && new LogIndex(files.path);
    } catch {
      // The index cannot be read here, for example in a worker.
    }
  }

  /**
   * Looks for commits since the last look, and counts them. If there may be one, it ends the
   * transaction that reads share, which would not show it.
   */
  noticeCommits(): void {
    try {
      const mayHaveChanged = this.#index?.hasNewCommit() ?? true;
      if (!mayHaveChanged) return;
      this.#connection.sharedRead.end();
      this.#countSinceLastLook();
    } catch {
      this.#connection.sharedRead.end();
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
    const areTrue = marks.schema === before?.schema ? before.areTrue : stampShowsAlterations(this.#connection.db);
    return { ...marks, areTrue };
  }
}

function isAltered(before: Marks, now: Marks): boolean {
  return !now.areTrue || now.schema !== before.schema || now.stamp !== before.stamp || now.last < before.last;
}

/** The size of the header. A second copy of it follows, which only readers need that copy the pages. */
const HEADER_BYTES = 48;

/**
 * The header of the index of SQLite's log (`-shm`). Every commit changes it before it returns, in
 * this process or in another (https://www.sqlite.org/walformat.html, §2.1). To read it takes half a
 * microsecond, so each request can look for itself, and sees what was committed before it came. A
 * look that several requests share would be wrong: an event loop may handle a request that came
 * after the look.
 */
class LogIndex {
  readonly #descriptor: number;
  /** Each look reads the header into this array, so that it makes no other one, for speed. */
  readonly #header = new Int32Array(HEADER_BYTES / 4);
  readonly #lastHeader = new Int32Array(HEADER_BYTES / 4);

  /** @param database The path of a database that SQLite has open. */
  constructor(database: string) {
    this.#descriptor = descriptorOf(`${database}-shm`);
  }

  /**
   * Whether there was a commit since the last call, of any connection. The first call says yes.
   *
   * @throws If the index cannot be read.
   */
  hasNewCommit(): boolean {
    const size = readSync(this.#descriptor, this.#header, 0, HEADER_BYTES, 0);
    if (size !== HEADER_BYTES) throw new Error("The index of the log is too short");
    if (areEqual(this.#header, this.#lastHeader)) return false;
    // A header that was read while a commit wrote it differs from the next one, so the next call says yes again.
    this.#lastHeader.set(this.#header);
    return true;
  }
}

function areEqual(a: Int32Array, b: Int32Array): boolean {
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return false;
  }
  return true;
}
