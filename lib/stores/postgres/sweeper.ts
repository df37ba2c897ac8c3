import type { Database } from "./client/client.ts";

/** A deletion starts after this many new requests. */
const REQUESTS_PER_DELETION = 500;
/** A deletion also starts with the first new request after this many milliseconds. */
const DELETION_INTERVAL = 5000;
/** The bounds of the requests that one deletion may delete. */
const MIN_DELETED = 1000, MAX_DELETED = 10_000;

/** Deletes expired requests. */
export interface Sweeper {
  /** Call this for each request that was added. */
  countRequest(): void;
  /** Starts no more deletions, and resolves when none is running. */
  close(): Promise<void>;
}

/**
 * Deletes expired requests while new ones arrive. Without new ones, the table does not grow. The statements are separate
 * from creates, so that no create waits for them.
 *
 * @param statement {@link Statements.deleteExpired}
 */
export function startSweeper(db: Database, statement: string): Sweeper {
  /** New requests since the last deletion. */
  let count = 0;
  let notBefore = 0;
  let isClosed = false;
  let running: Promise<void> | undefined;

  async function deleteExpired(): Promise<void> {
    // Deleting twice as many as were added shrinks the backlog.
    const limit = Math.min(Math.max(2 * count, MIN_DELETED), MAX_DELETED);
    count = Math.max(count - limit / 2, 0);
    notBefore = performance.now() + DELETION_INTERVAL;
    try {
      const deadline = performance.now() + db.timeoutMs;
      const [row] = await db.query(statement, [String(limit)], { deadline });
      // More are left, so the next request starts another deletion.
      if (Number(row?.[0]) >= limit) notBefore = 0;
    } catch {
      // A later deletion catches up. If PostgreSQL is down, creates report it.
    }
  }

  return {
    countRequest() {
      count++;
      if (running || isClosed) return;
      if (count < REQUESTS_PER_DELETION && performance.now() < notBefore) return;
      running = deleteExpired().finally(() => running = undefined);
    },
    async close() {
      isClosed = true;
      await running;
    },
  };
}
