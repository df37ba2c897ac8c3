import { StoreUnavailableError } from "@petstore/petstore/store";
import { storeClosed } from "@petstore/petstore/store/toolkit";
import type { CheckedOptions } from "../options.ts";
import { type Connection, type Parameter, type Row, runStatement } from "./connection.ts";
import { asUnavailable, isRefusal } from "./errors.ts";
import { maxConnectionsOf, type PostgresPool } from "./pool.ts";
import { guardPool, ignoreError } from "./pool_guard.ts";

/** How many statements may wait for a connection. */
const MAX_WAITING = 10_000;

/** After this many statements, a connection goes back to the pool, which may end it because of its age. */
const MAX_IN_A_ROW = 1000;

/** A store with a pool of connections, as an observer sees it. */
export interface PooledStore {
  /** How many connections there may be, and how many statements run on one or wait for one. */
  readonly pool: Record<"size" | "running" | "waiting", number>;
}

export interface Limits {
  /** When the statement must have ended, in milliseconds as in `performance.now()`. Default: `timeoutMs` from now. */
  deadline?: number;
  /**
   * What the statement stores, if it stores something. Without an answer it is unknown whether it has done so: the error says that, and
   * the statement is not cancelled as others are (see `#cancel()`).
   */
  mayStore?: Stored;
}

/** What a statement stores, as a part of a message. */
type Stored = "pet" | "change of the keys";

/** A statement whose caller waits for its result. */
interface Statement {
  text: string;
  parameters: readonly Parameter[];
  mayStore: Stored | undefined;
  /** When it came, in milliseconds as in `performance.now()`. */
  arrivedAt: number;
  /** Ends the statement when its time has passed. */
  timer: ReturnType<typeof setTimeout>;
  /** Set when the statement is sent. */
  connection: Connection | undefined;
  /** Whether its time has passed after it was sent. Then its promise is settled, and its connection closed. */
  hasExpired: boolean;
  resolve(rows: Row[]): void;
  reject(error: StoreUnavailableError): void;
}

/**
 * Runs statements with a time limit, each on a connection that runs no other one meanwhile.
 *
 * A statement is in `#waiting` until it is sent. It ends with its result, or when its time has passed.
 * A connection is closed if its statement has failed or its time has passed, so that no other statement gets its rows or its cancellation.
 */
export class Database {
  readonly schema: string;
  readonly timeoutMs: number;
  readonly #pool: PostgresPool;
  readonly #prepare: boolean;
  /** The statements that wait, the oldest first. They wait here because the pool cannot remove one from its own queue. */
  readonly #waiting = new Set<Statement>();
  /** How many connections may be used at a time. */
  readonly #maxRunning: number;
  /** How many connections are used, or being opened. */
  #running = 0;

  /** @param maxRunning How many statements may run at a time. Default: as many as the pool has connections. */
  constructor(
    pool: PostgresPool,
    { schema, timeoutMs, prepare }: CheckedOptions,
    maxRunning: number = maxConnectionsOf(pool),
  ) {
    // Otherwise an idle connection that is lost would end the process.
    guardPool(pool);
    this.#pool = pool;
    this.schema = schema;
    this.timeoutMs = timeoutMs;
    this.#prepare = prepare;
    this.#maxRunning = maxRunning;
  }

  /**
   * Runs a statement, and returns its rows.
   *
   * @param text Without parameters, it is not prepared, and may contain several statements, which have no rows.
   */
  query(text: string, parameters: readonly Parameter[] = [], { deadline, mayStore }: Limits = {}): Promise<Row[]> {
    if (this.#waiting.size >= MAX_WAITING) {
      return Promise.reject(new StoreUnavailableError("Too many queries wait for PostgreSQL"));
    }
    return new Promise((resolve, reject) => {
      const arrivedAt = performance.now();
      const timeLimit = deadline === undefined ? this.timeoutMs : Math.max(0, deadline - arrivedAt);
      const statement: Statement = {
        text,
        parameters,
        mayStore,
        arrivedAt,
        timer: setTimeout(() => this.#expire(statement, timeLimit), timeLimit),
        connection: undefined,
        hasExpired: false,
        resolve,
        reject,
      };
      this.#waiting.add(statement);
      if (this.#running < this.#maxRunning) this.#runWaiting();
    });
  }

  /** How busy the connections are. */
  get load(): PooledStore["pool"] {
    return { size: maxConnectionsOf(this.#pool), running: this.#running, waiting: this.#waiting.size };
  }

  /** Refuses the statements that wait, and leaves the pool open. Statements that were sent go on, each within its time limit. */
  release(): void {
    for (const statement of this.#waiting) this.#refuse(statement, storeClosed());
  }

  /** Uses one connection at a time for the statements that wait, until none is left. */
  async #runWaiting(): Promise<void> {
    this.#running++;
    while (this.#waiting.size > 0) {
      const connection = await this.#connect();
      if (connection) await this.#runInARow(connection);
    }
    this.#running--;
  }

  /** Takes a connection out of the pool. If that fails, the result is undefined, and the statement that has waited longest fails too. */
  async #connect(): Promise<Connection | undefined> {
    const begunAt = performance.now();
    try {
      return await this.#pool.connect() as Connection;
    } catch (error) {
      const [oldest] = this.#waiting;
      // A statement that came only during this attempt waits for another one.
      if (oldest && oldest.arrivedAt <= begunAt) this.#refuse(oldest, asUnavailable(error));
      return undefined;
    }
  }

  /**
   * Runs statements that wait on a connection, one after the other, and gives it back. This is for speed: to give the connection back and
   * take it again for each would cost more than a read.
   */
  async #runInARow(connection: Connection): Promise<void> {
    let count = 0;
    // For speed, one loop goes through the set while the statements leave it. It also comes to those that are added meanwhile.
    for (const statement of this.#waiting) {
      this.#waiting.delete(statement);
      const isUsable = await this.#runOne(statement, connection);
      if (!isUsable) return;
      if (++count === MAX_IN_A_ROW) break;
    }
    connection.release();
  }

  /**
   * Sends a statement, and settles its promise, unless its time passes before PostgreSQL answers. Never rejects.
   *
   * @returns Whether the connection can be used further. Otherwise it has been closed.
   */
  async #runOne(statement: Statement, connection: Connection): Promise<boolean> {
    statement.connection = connection;
    try {
      const rows = await runStatement(connection, statement.text, statement.parameters, this.#prepare);
      statement.resolve(rows);
      return !statement.hasExpired;
    } catch (error) {
      statement.reject(failureOf(error, statement.mayStore));
      if (!statement.hasExpired) closeConnection(connection, error as Error);
      return false;
    } finally {
      clearTimeout(statement.timer);
    }
  }

  /** Ends a statement whose time has passed. */
  #expire(statement: Statement, timeLimit: number): void {
    const error = timeoutError(timeLimit);
    const { connection, mayStore } = statement;
    if (!connection) return this.#refuse(statement, error);
    statement.hasExpired = true;
    statement.reject(failureOf(error, mayStore));
    this.#cancel(statement, connection.processID);
    // The connection may be dead, and a late cancellation would hit its next statement.
    closeConnection(connection, error);
  }

  /** Ends a statement that was not sent. */
  #refuse(statement: Statement, error: StoreUnavailableError): void {
    this.#waiting.delete(statement);
    clearTimeout(statement.timer);
    statement.reject(error);
  }

  /**
   * Cancels a statement in PostgreSQL, which would go on with it.
   *
   * One that may store something is cancelled only while it waits for a lock, which is before its commit. Later it may wait until a synchronous
   * standby has its commit. If that wait were cancelled, others would see what it has stored, and a failover to the standby would take it
   * back. A statement that is not cancelled keeps its locks, and the creates after it wait for these locks until their own time has passed.
   */
  #cancel({ text, mayStore }: Statement, processId: number | undefined): void {
    if (processId === undefined) return;
    const when = mayStore ? "wait" : "all";
    // Nobody waits for the result. If this fails, the statement goes on.
    this.query(CANCEL, [String(processId), when, text]).catch(ignoreError);
  }
}

/** Closes a connection: the pool does so if it gets one back with an error. */
function closeConnection(connection: Connection, error: Error): void {
  connection.release(error);
}

/**
 * Cancels the statement that a process of PostgreSQL runs. The parameters:
 *
 * 1. The number of the process.
 * 2. `all` to cancel the statement in any case, and `wait` to do so only if it waits for a lock.
 * 3. The text of the statement, of which PostgreSQL may know only the beginning. No other statement must be cancelled: a pooler shows other
 *    processes than those of PostgreSQL, and after a failover the process may be one of another server.
 */
const CANCEL = `SELECT pg_catalog.pg_cancel_backend(pid)::pg_catalog.text FROM pg_catalog.pg_stat_activity
  WHERE pid OPERATOR(pg_catalog.=) $1::pg_catalog.int4 AND pg_catalog.starts_with($3::pg_catalog.text, query)
    AND (wait_event_type OPERATOR(pg_catalog.=) 'Lock' OR $2::pg_catalog.text OPERATOR(pg_catalog.=) 'all')`;

/** Makes the error for the caller of a statement that was sent. */
function failureOf(error: unknown, mayStore: Stored | undefined): StoreUnavailableError {
  const failure = asUnavailable(error);
  // If the statement stores something, only PostgreSQL's own refusal shows that it has stored nothing.
  const hasStoredNothing = mayStore === undefined || isRefusal(error);
  if (hasStoredNothing) return failure;
  const { message, cause } = failure;
  return new StoreUnavailableError(`${message}; the ${mayStore} may have been stored`, { cause, mayBeStored: true });
}

function timeoutError(timeLimit: number): StoreUnavailableError {
  const cause = new DOMException("The query timed out", "TimeoutError");
  return new StoreUnavailableError(`PostgreSQL has not answered within ${Math.round(timeLimit)} ms`, { cause });
}
