import type { Database } from "./client/client.ts";

/** A deletion starts after this many new requests. */
const REQUESTS_PER_DELETION = 500;
/** A deletion also starts with the first new request after this many milliseconds. */
const DELETION_INTERVAL = 5000;
/** How many requests one deletion may delete: more than are added meanwhile, and few enough for a short transaction. */
const MAX_DELETED = 2000;

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
    count = 0;
    notBefore = performance.now() + DELETION_INTERVAL;
    try {
      const deadline = performance.now() + db.timeoutMs;
      const [row] = await db.query(statement, [String(MAX_DELETED)], { deadline });
      // More are left, so the next request starts another deletion.
      if (Number(row?.[0]) >= MAX_DELETED) notBefore = 0;
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
