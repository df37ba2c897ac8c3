import type { Database } from "./client/database.ts";

/** A deletion starts after this many new requests, or with the first one after this many milliseconds. */
const REQUESTS_PER_DELETION = 500;
const DELETION_INTERVAL = 5000;
/** More than are added meanwhile, and few enough for a short transaction. */
const MAX_DELETED = 2000;

export type Sweeper = ReturnType<typeof startSweeper>;

/** Deletes expired requests while new ones arrive, in separate statements, so that no create waits for them. */
export function startSweeper(db: Database, statement: string) {
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
      if (Number(row?.[0]) >= MAX_DELETED) notBefore = 0;
    } catch {
      // A later deletion catches up. If PostgreSQL is down, creates report it.
    }
  }

  return {
    countRequest(): void {
      count++;
      if (running || isClosed) return;
      if (count < REQUESTS_PER_DELETION && performance.now() < notBefore) return;
      running = deleteExpired().finally(() => running = undefined);
    },
    /** Resolves when no deletion is running. */
    async close(): Promise<void> {
      isClosed = true;
      await running;
    },
  };
}
