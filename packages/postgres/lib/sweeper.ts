import type { StatementQueue } from "./client/statement_queue.ts";

/** A deletion starts after this many new requests. */
const REQUESTS_PER_DELETION = 500;

/** How many requests one deletion deletes at most: more than are added between two, and few enough for a short transaction. */
const MAX_DELETED = 2000;

/**
 * Returns a function that is called for each new request. It deletes expired requests now and then, in separate statements, so that no create
 * waits for them. If a deletion fails, a later one catches up.
 */
export function createSweeper(db: StatementQueue): () => void {
  /** How many requests come before the next deletion. The first one starts a deletion too, so that restarts leave nothing behind. */
  let left = 1;
  return () => {
    left--;
    if (left > 0) return;
    left = REQUESTS_PER_DELETION;
    db.query(deleteStatement(db.schema), [String(MAX_DELETED)]).catch(() => {});
  };
}

/** Makes the statement that deletes expired requests, up to the number that is its parameter. */
export function deleteStatement(schema: string): string {
  return `SELECT "${schema}".forget_requests($1::integer)`;
}
