import type { DatabaseSync, StatementSync } from "node:sqlite";
import { rollback } from "./transaction.ts";

/**
 * A transaction that the reads of one turn of the event loop share, from the second one on. It is
 * there for speed: to begin and end a transaction takes longer than to find a pet.
 *
 * The transaction shows the file as it was when it began, so it must end at the next commit of any
 * connection: the store looks for commits before each read ({@link ChangeWatch}), and this
 * connection ends it before it writes. It ends with the turn in any case, because SQLite cannot
 * write the log back beyond a transaction that is open.
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

  /** Lets the next read take part. It is called right after a look for commits. */
  join(): void {
    switch (this.#state) {
      case "no read":
        this.#state = "one read";
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
