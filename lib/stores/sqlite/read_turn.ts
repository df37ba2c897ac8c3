import type { DatabaseSync, StatementSync } from "node:sqlite";
import { rollback } from "./transaction.ts";

/**
 * The reads of a turn of the event loop. From the second on, they share a transaction: to begin and end one takes longer than to find
 * a pet.
 */
export class ReadTurn {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #reads = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#begin = db.prepare("BEGIN");
    this.#commit = db.prepare("COMMIT");
  }

  /** Before each read. */
  enter(): void {
    this.#reads++;
    if (this.#reads === 1) setImmediate(() => this.end());
    if (this.#reads === 2) this.#begin.run();
  }

  /** Also before each write, and after one of the thread: later reads of the turn must see it. */
  end(): void {
    const isOpen = this.#reads > 1;
    this.#reads = 0;
    if (!isOpen) return;
    try {
      this.#commit.run();
    } catch {
      rollback(this.#db);
    }
  }
}
