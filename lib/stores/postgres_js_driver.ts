/** A store's statements through postgres.js. */

import {
  type Driver,
  ignore,
  type PostgresJsClient,
  type PostgresJsQuery,
  type Row,
  settledWithin,
  USUAL_SIZE,
} from "./postgres_driver.ts";

/** Wraps the `sql` of postgres.js. A client that was made with `prepare: false` has the last word. */
export function postgresJsDriver(sql: PostgresJsClient, prepare: boolean): Driver {
  return {
    // No more are given to it: it would send them behind others on a connection, where none can be cancelled alone.
    size: sql.options?.max ?? USUAL_SIZE,
    start(text, parameters) {
      const query = parameters ? sql.unsafe(text, parameters, { prepare }) : sql.unsafe(text);
      const rows = parameters ? query.values() : query;
      return { done: Promise.resolve(rows as PromiseLike<Row[]>), giveUp: () => giveUp(query) };
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
 * made takes that connection along for good. One that waits behind another gets the wrong answer to the next. And if no
 * connection for the cancelling can be had, that is an error that nobody can catch, which ends the process.
 */
function giveUp(query: PostgresJsQuery): void {
  const kept = query as KeptQuery;
  if (!kept.state) {
    // It has not been sent: what goes instead of it does nothing.
    if (!Array.isArray(kept.strings)) return;
    kept.strings = ["SELECT 1"];
    kept.args = [];
  } else if (kept.active && typeof kept.canceller === "function") {
    const { canceller } = kept;
    kept.canceller = null;
    Promise.resolve(canceller(query)).catch(ignore);
  }
}
