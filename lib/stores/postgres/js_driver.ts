/** A store's statements through postgres.js. */

import {
  type Driver,
  ignore,
  type PostgresJsClient,
  type PostgresJsQuery,
  type Row,
  settledWithin,
  USUAL_SIZE,
} from "./driver.ts";

/** So many reads on a connection at once make a server a quarter faster; more help no further. */
const DEPTH = 4;

/** How often it is looked whether it is the turn of a query that was given up, in milliseconds. */
const LOOKING = 50;

/** For how long a cancellation may be under way, in milliseconds. Creates wait for it. */
const CANCELLING = 5000;

/** The cancellations that are under way, of every store that uses a client. */
const cancellationsOf = new WeakMap<PostgresJsClient, Set<Promise<void>>>();

/** Wraps the `sql` of postgres.js. A client that was made with `prepare: false` has the last word. */
export function postgresJsDriver(sql: PostgresJsClient, prepare: boolean): Driver {
  const cancellations = cancellationsOf.get(sql) ?? new Set();
  cancellationsOf.set(sql, cancellations);
  return {
    size: sql.options?.max ?? USUAL_SIZE,
    depth: DEPTH,
    start(text, parameters, isWrite) {
      let query: PostgresJsQuery | undefined;
      let isGivenUp = false;
      async function run(): Promise<Row[]> {
        // One that comes late hits what its connection runs by then. A create that waits for a standby to have it, too,
        // would take that for the end of the waiting.
        while (isWrite && cancellations.size > 0) await Promise.all(cancellations);
        if (isGivenUp) return [];
        // Not on a connection that is reserved for it: in 3.4.9, one that breaks meanwhile ends the process.
        query = parameters ? sql.unsafe(text, parameters, { prepare }) : sql.unsafe(text);
        return await (parameters ? query.values() : query) as Row[];
      }
      const done = run();
      return {
        done,
        giveUp() {
          isGivenUp = true;
          if (query) giveUp(query, done, cancellations);
        },
      };
    },
    release() {},
    end: async (patience) => {
      // It waits for connections to close, and that of a host that is gone never does.
      await settledWithin(patience + 1000, sql.end?.({ timeout: patience / 1000 }) ?? Promise.resolve());
    },
  };
}

/** A query as the driver keeps it. All of it is looked at before it is used: another version may have none of it. */
interface KeptQuery {
  /** The connection that it has been sent through, if it has been. */
  state?: object | null;
  /** Whether it is what its connection runs just now. */
  active?: boolean;
  /** What it will send. */
  strings?: unknown;
  args?: unknown;
  /** Cancels it, over a connection of its own. */
  canceller?: unknown;
}

/**
 * The driver's own `cancel()` will not do, for three reasons seen in 3.4.9. A query that waits for its connection to be
 * made takes that connection along for good. One that was sent behind another gets its answer mixed up with the next. And
 * if no connection for the cancelling can be had, that is an error that nobody can catch, which ends the process.
 */
function giveUp(query: PostgresJsQuery, done: Promise<unknown>, cancellations: Set<Promise<void>>): void {
  const kept = query as KeptQuery;
  if (!kept.state) {
    // It has not been sent: what goes instead of it does nothing.
    if (!Array.isArray(kept.strings)) return;
    kept.strings = ["SELECT 1"];
    kept.args = [];
  } else if (kept.active) {
    cancel(query, cancellations);
  } else {
    // What is cancelled is whatever the connection runs: that would be another's, until it is this one's turn.
    const timer = setInterval(() => {
      if (kept.active) cancel(query, cancellations);
    }, LOOKING);
    done.catch(ignore).finally(() => clearInterval(timer));
  }
}

function cancel(query: PostgresJsQuery, cancellations: Set<Promise<void>>): void {
  const kept = query as KeptQuery;
  const { canceller } = kept;
  if (typeof canceller !== "function") return;
  kept.canceller = null;
  const attempt = settledWithin(CANCELLING, canceller(query)).finally(() => cancellations.delete(attempt));
  cancellations.add(attempt);
}
