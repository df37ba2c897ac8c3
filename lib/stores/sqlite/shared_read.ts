import type { DatabaseSync, StatementSync } from "node:sqlite";
import { rollback } from "./transaction.ts";

/**
 * A transaction that the reads of one turn of the event loop share, from the second one on, for speed: to begin and end a transaction takes
 * as long as to find a pet. It shows the file as it was when it began, so it must not outlive a commit. Each read therefore looks for
 * commits first, and `ChangeWatch` ends the transaction if there was one. A write of the same connection ends it too.
 */
export class SharedRead {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  /** How many reads there were since the transaction was last ended. It is open from the second one on. */
  #reads = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#begin = db.prepare("BEGIN");
    this.#commit = db.prepare("COMMIT");
  }

  /** Notes that a read follows. Call this before each read, right after a look for commits. */
  begin(): void {
    this.#reads++;
    // The transaction ends with the turn, because SQLite cannot write the log back beyond a transaction that is open.
    if (this.#reads === 1) setImmediate(() => this.end());
    if (this.#reads === 2) this.#begin.run();
  }

  /** Ends the transaction, if it is open. */
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
