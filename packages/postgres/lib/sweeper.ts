import type { Database } from "./client/database.ts";
import { ignore } from "./client/pool.ts";

/** A deletion starts after this many new requests. */
const REQUESTS_PER_DELETION = 500;

/** How many requests one deletion deletes at most: more than are added between two, and few enough for a short transaction. */
const MAX_DELETED = 2000;

/**
 * Deletes expired requests while new ones arrive, in separate statements, so that no create waits for them. If a deletion fails, a later
 * one catches up.
 *
 * @returns Counts a new request. The first one starts a deletion too, so that restarts leave nothing behind.
 */
export function createSweeper(db: Database, deleteExpired: string): () => void {
  let newRequests = REQUESTS_PER_DELETION - 1;
  return () => {
    if (++newRequests < REQUESTS_PER_DELETION) return;
    newRequests = 0;
    db.query(deleteExpired, [String(MAX_DELETED)]).catch(ignore);
  };
}
