/** How a statement is cancelled in PostgreSQL, which would otherwise go on with it after its caller was refused. */

import type { Parameter } from "./connection.ts";

/**
 * Cancels the statement that a process of PostgreSQL runs. {@link cancellationOf} makes the parameters:
 *
 * 1. The number of the process.
 * 2. The text of the statement, of which PostgreSQL may know only the beginning. No other statement must be cancelled: a pooler shows other
 *    processes than those of PostgreSQL, and after a failover the process may be one of another server.
 * 3. `always`, or `before its commit`, which is while the statement waits for a lock.
 *
 * The operators are written as `OPERATOR(pg_catalog.=)`, since a schema in the search path could define its own `=`.
 */
export const CANCEL = `SELECT pg_catalog.pg_cancel_backend(pid)::pg_catalog.text FROM pg_catalog.pg_stat_activity
  WHERE pid OPERATOR(pg_catalog.=) $1::pg_catalog.int4 AND pg_catalog.starts_with($2::pg_catalog.text, query)
    AND (wait_event_type OPERATOR(pg_catalog.=) 'Lock' OR $3::pg_catalog.text OPERATOR(pg_catalog.=) 'always')`;

/**
 * Makes the parameters of {@link CANCEL}.
 *
 * A statement that stores something is cancelled only while it waits for a lock, which is before its commit. Later it may wait until a
 * synchronous standby has its commit. If that wait were cancelled, others would see what it has stored, and a failover to the standby would
 * take it back. A statement that is not cancelled keeps its locks, and the creates after it wait for these locks until their own time has
 * passed.
 */
export function cancellationOf(processId: number, text: string, storesSomething: boolean): Parameter[] {
  return [String(processId), text, storesSomething ? "before its commit" : "always"];
}
