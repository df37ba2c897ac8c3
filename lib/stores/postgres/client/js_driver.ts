import {
  DEFAULT_SIZE,
  type Driver,
  ignore,
  type PostgresJsClient,
  type PostgresJsQuery,
  requireWhole,
  type ResultEnd,
  type Row,
  settledWithin,
} from "./driver.ts";

const DEPTH = 4;

/** How often to check whether a query that was given up has become active, in milliseconds. */
const POLL_INTERVAL = 50;

/** The time limit of a cancellation, in milliseconds. Creates wait for it. */
const CANCEL_TIMEOUT = 5000;

/** The running cancellations of each client, for all stores that use it. */
const cancellationsOf = new WeakMap<PostgresJsClient, Set<Promise<void>>>();

export function isPostgresJs(client: unknown): client is PostgresJsClient {
  return (typeof client === "function" || (typeof client === "object" && client !== null)) && "unsafe" in client;
}

export function postgresJsDriver(sql: PostgresJsClient, prepare: boolean): Driver {
  const cancellations = cancellationsOf.get(sql) ?? new Set();
  cancellationsOf.set(sql, cancellations);
  return {
    size: sql.options?.max ?? DEFAULT_SIZE,
    depth: DEPTH,
    start(text, parameters, isWrite) {
      let query: PostgresJsQuery | undefined;
      let isGivenUp = false;
      async function run(): Promise<Row[]> {
        // A late cancellation hits the next statement on its connection: a create would no longer wait for a
        // synchronous standby, and still succeed.
        while (isWrite && cancellations.size > 0) await Promise.all(cancellations);
        if (isGivenUp) return [];
        // Not on a reserved connection: in 3.4.9, the loss of one ends the process.
        query = parameters ? sql.unsafe(text, parameters, { prepare }) : sql.unsafe(text);
        try {
          return await (parameters ? collect(query) : query.then(() => []));
        } catch (error) {
          // Otherwise 3.4.9 may send it again after it has failed, and take its result for that of another.
          (query as QueryInternals).prepared = false;
          throw error;
        }
      }
      const done = run();
      return {
        done,
        giveUp(mayCancel) {
          isGivenUp = true;
          if (query) giveUp(query, done, mayCancel ? cancellations : undefined);
          return mayCancel;
        },
        wasSent: () => Boolean((query as QueryInternals | undefined)?.state),
        process: () => (query as QueryInternals | undefined)?.state?.pid ?? undefined,
      };
    },
    release() {},
    end: async (timeoutMs) => {
      // With a limit, because the driver waits for connections to close, and one to a lost host never does.
      await settledWithin(timeoutMs + 1000, sql.end?.({ timeout: timeoutMs / 1000 }) ?? Promise.resolve());
    },
  };
}

/** In 3.4.9, the driver's array begins with holes for the rows of an earlier result that was cut. */
async function collect(query: PostgresJsQuery): Promise<Row[]> {
  const rows: Row[] = [];
  return requireWhole(rows, await query.values().forEach((row) => rows.push(row as Row)) as ResultEnd);
}

/** Each member is checked before use, because other versions may lack it. */
interface QueryInternals {
  state?: { pid?: number | null } | null;
  prepared?: boolean;
  active?: boolean;
  strings?: unknown;
  args?: unknown;
  canceller?: unknown;
}

/**
 * Replaces the driver's own `cancel()`, which in 3.4.9 loses connections that are opening, mixes up results, and may end the process.
 *
 * @param cancellations Absent if a query that has been sent must not be cancelled.
 */
function giveUp(query: PostgresJsQuery, done: Promise<unknown>, cancellations: Set<Promise<void>> | undefined): void {
  const internals = query as QueryInternals;
  if (!internals.state) {
    // It has not been sent yet, so a harmless statement can take its place.
    if (!Array.isArray(internals.strings)) return;
    internals.strings = ["SELECT 1"];
    internals.args = [];
  } else if (!cancellations) {
    return;
  } else if (internals.active) {
    cancel(query, cancellations);
  } else {
    // A cancellation stops the query that the connection is running, so wait until that is this one.
    const timer = setInterval(() => {
      if (internals.active) cancel(query, cancellations);
    }, POLL_INTERVAL);
    done.catch(ignore).finally(() => clearInterval(timer));
  }
}

function cancel(query: PostgresJsQuery, cancellations: Set<Promise<void>>): void {
  const internals = query as QueryInternals;
  const { canceller } = internals;
  if (typeof canceller !== "function") return;
  internals.canceller = null;
  const attempt = settledWithin(CANCEL_TIMEOUT, canceller(query)).finally(() => cancellations.delete(attempt));
  cancellations.add(attempt);
}
