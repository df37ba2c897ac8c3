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
  /** What the reads of this turn have done so far. The transaction is open from the second read on. */
  #state: "no read" | "one read" | "open" = "no read";

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#begin = db.prepare("BEGIN");
    this.#commit = db.prepare("COMMIT");
  }

  /** Lets the next read take part. Call this before each read, right after a look for commits. */
  join(): void {
    switch (this.#state) {
      case "no read":
        this.#state = "one read";
        // The transaction ends with the turn, because SQLite cannot write the log back beyond a transaction that is open.
        setImmediate(() => this.end());
        return;
      case "one read":
        this.#begin.run();
        this.#state = "open";
        return;
      case "open":
        return;
    }
  }

  /** Ends the transaction, if it is open. */
  end(): void {
    const isOpen = this.#state === "open";
    this.#state = "no read";
    if (!isOpen) return;
    try {
      this.#commit.run();
    } catch {
      rollback(this.#db);
    }
  }
}
