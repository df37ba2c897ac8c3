/** Finds out whether other connections have written to the file, and whether they have only added pets. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoreChanges } from "../store.ts";
import type { ReadTurn } from "./read_turn.ts";
import { countWrite, type Write } from "../write.ts";
import { SELECT_MARKS } from "./statements.ts";
import { prepareExact } from "./transaction.ts";

interface Marks {
  /** Changes whenever pets may have changed or disappeared. */
  state: string;
  last: bigint;
}

export class ChangeWatch {
  readonly #db: DatabaseSync;
  readonly #turn: ReadTurn;
  readonly #counters: StoreChanges = { additions: 0, alterations: 0 };
  readonly #version: StatementSync;
  #selectMarks: StatementSync | undefined;
  #lastVersion: unknown;
  #marks: Marks | undefined;
  #isCurrent = false;

  constructor(db: DatabaseSync, turn: ReadTurn) {
    this.#db = db;
    this.#turn = turn;
    this.#version = db.prepare("PRAGMA data_version");
  }

  /** Checks once per turn of the event loop: the requests that a turn handles arrived before it. */
  changes(): StoreChanges {
    if (!this.#isCurrent) this.#check();
    return this.#counters;
  }

  /** `data_version` covers only other connections. */
  countCommit(writes: readonly Write[]): void {
    for (const write of writes) countWrite(this.#counters, write);
    this.#isCurrent = false;
    this.#turn.end();
  }

  #check(): void {
    // A transaction sees no later change.
    this.#turn.end();
    try {
      const version = this.#version.get()?.["data_version"];
      if (version !== this.#lastVersion) this.#compare();
      this.#lastVersion = version;
      this.#isCurrent = true;
      setImmediate(() => this.#isCurrent = false);
    } catch {
      this.#lastVersion = undefined;
      this.#marks = undefined;
      this.#counters.alterations++;
    }
  }

  #compare(): void {
    const before = this.#marks;
    const now = this.#marks = this.#readMarks();
    const isTracked = before && now && now.state === before.state && now.last >= before.last;
    if (!isTracked) this.#counters.alterations++;
    else if (now.last !== before.last) this.#counters.additions++;
  }

  /** Undefined without marks, for example after a backup of an older release was restored over the file. */
  #readMarks(): Marks | undefined {
    try {
      this.#selectMarks ??= prepareExact(this.#db, SELECT_MARKS);
      return this.#selectMarks.get() as unknown as Marks | undefined;
    } catch {
      return undefined;
    }
  }
}
