import type { Database } from "./client/client.ts";

/** A deletion starts after this many new requests. */
const REQUESTS_PER_DELETION = 500;
/** A deletion also starts with the first new request after this many milliseconds. */
const DELETION_INTERVAL = 5000;
/** The bounds of the requests that one deletion may delete. */
const MIN_DELETED = 1000, MAX_DELETED = 10_000;

/**
 * Deletes expired requests while new ones arrive. Without new ones, the table does not grow. The statements are separate
 * from creates, so that no create waits for them.
 */
export class Sweeper {
  readonly #db: Database;
  readonly #statement: string;
  /** New requests since the last deletion. */
  #count = 0;
  #notBefore = 0;
  #running: Promise<void> | undefined;
  #isClosed = false;

  /** @param statement {@link Statements.deleteExpired} */
  constructor(db: Database, statement: string) {
    this.#db = db;
    this.#statement = statement;
  }

  /** Call this for each request that was added. */
  countRequest(): void {
    this.#count++;
    if (this.#running || this.#isClosed) return;
    if (this.#count < REQUESTS_PER_DELETION && performance.now() < this.#notBefore) return;
    this.#running = this.#deleteExpired().finally(() => this.#running = undefined);
  }

  /** Starts no more deletions, and resolves when none is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #deleteExpired(): Promise<void> {
    // Deleting twice as many as were added shrinks the backlog.
    const limit = Math.min(Math.max(2 * this.#count, MIN_DELETED), MAX_DELETED);
    this.#count = Math.max(this.#count - limit / 2, 0);
    this.#notBefore = performance.now() + DELETION_INTERVAL;
    try {
      const deadline = performance.now() + this.#db.timeoutMs;
      const [row] = await this.#db.query(this.#statement, [String(limit)], { deadline });
      // More are left, so the next request starts another deletion.
      if (Number(row?.[0]) >= limit) this.#notBefore = 0;
    } catch {
      // A later deletion catches up. If PostgreSQL is down, creates report it.
    }
  }
}
