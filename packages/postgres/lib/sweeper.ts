import type { Database } from "./client/database.ts";

/** A deletion starts after this many new requests, or with the first request that comes so long after the start of the last deletion. */
const REQUESTS_PER_DELETION = 500;
const DELETION_INTERVAL_MS = 5000;

/** How many requests one deletion deletes at most: more than are added between two, and few enough for a short transaction. */
const MAX_DELETED = 2000;

export type Sweeper = ReturnType<typeof startSweeper>;

/** Deletes expired requests while new ones arrive, in separate statements, so that no create waits for them. */
export function startSweeper(db: Database, statement: string) {
  /** How many requests have come since the last deletion started. */
  let newRequests = 0;
  /** From when on a single request starts a deletion, as in `performance.now()`. It is 0 if expired requests are left. */
  let dueAt = 0;
  let isClosed = false;
  /** The deletion that is running. */
  let running: Promise<void> | undefined;

  async function deleteExpired(): Promise<void> {
    newRequests = 0;
    dueAt = performance.now() + DELETION_INTERVAL_MS;
    try {
      const deadline = performance.now() + db.timeoutMs;
      const [row] = await db.query(statement, [String(MAX_DELETED)], { deadline });
      if (Number(row?.[0]) >= MAX_DELETED) dueAt = 0;
    } catch {
      // A later deletion catches up. If PostgreSQL is down, creates report it.
    }
  }

  return {
    /** Notes that a request was added, and starts a deletion if one is due. */
    countRequest(): void {
      newRequests++;
      if (running || isClosed) return;
      if (newRequests < REQUESTS_PER_DELETION && performance.now() < dueAt) return;
      running = deleteExpired().finally(() => running = undefined);
    },
    /** Starts no further deletion, and resolves when none is running. */
    async close(): Promise<void> {
      isClosed = true;
      await running;
    },
  };
}
