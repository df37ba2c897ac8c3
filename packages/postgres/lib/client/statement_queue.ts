/**
 * The way of a statement from its caller to PostgreSQL: it waits in a {@link StatementQueue} for a connection, and its caller gets the rows
 * or an error within the time limit. All statements of a store go this way.
 */

import { StoreUnavailableError } from "@petstore/petstore/store";
import { storeClosed } from "@petstore/petstore/store/toolkit";
import type { CheckedOptions } from "../options.ts";
import { CANCEL, cancellationOf } from "./cancellation.ts";
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

export interface StatementOptions {
  /** When the statement must have ended, in milliseconds as in `performance.now()`. Default: `timeoutMs` from now. */
  deadline?: number;
  /**
   * What the statement stores, if it stores something. Without an answer it is unknown whether it has done so: the error says that, and
   * the statement is not cancelled as others are (see {@link cancellationOf}).
   */
  stores?: "pet" | "change of the keys";
}

/**
 * Runs statements with a time limit, each on a connection that runs no other one meanwhile.
 *
 * A connection that was taken out of the pool leaves the queue in one of two ways: the queue gives it back when no statement waits or after
 * many of them, and a {@link Statement} that was sent on it and fails closes it.
 */
export class StatementQueue {
  /** The name of the schema that has the tables. The queue does not use it: it is for the callers, who write the statements. */
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
  query(text: string, parameters: readonly Parameter[] = [], options: StatementOptions = {}): Promise<Row[]> {
    if (this.#waiting.size >= MAX_WAITING) {
      return Promise.reject(new StoreUnavailableError("Too many queries wait for PostgreSQL"));
    }
    const { deadline, stores } = options;
    const statement = new Statement(text, parameters, stores);
    const timeLimit = deadline === undefined ? this.timeoutMs : Math.max(0, deadline - statement.arrivedAt);
    statement.timer = setTimeout(() => this.#expire(statement, timeLimit), timeLimit);
    this.#waiting.add(statement);
    if (this.#running < this.#maxRunning) this.#runWaiting();
    return statement.result;
  }

  /** How busy the connections are. */
  get load(): PooledStore["pool"] {
    return { size: maxConnectionsOf(this.#pool), running: this.#running, waiting: this.#waiting.size };
  }

  /** Refuses the statements that wait, and leaves the pool open. Statements that were sent go on, each within its time limit. */
  refuseWaiting(): void {
    for (const statement of this.#waiting) statement.fail(storeClosed());
    this.#waiting.clear();
  }

  /** Uses one connection at a time for the statements that wait, until each of them was sent or has failed. Several such loops may run. */
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
      if (oldest && oldest.arrivedAt <= begunAt) {
        this.#waiting.delete(oldest);
        oldest.fail(error);
      }
      return undefined;
    }
  }

  /**
   * Runs statements that wait on a connection, one after the other, and gives it back, unless one has failed and so closed it. This is for
   * speed: to give the connection back and take it again for each statement would cost more than a read.
   */
  async #runInARow(connection: Connection): Promise<void> {
    // The iterator also comes to statements that are added meanwhile. A new one for each statement would first pass over the gaps that the
    // earlier statements have left in the set: with 9,000 waiting, that takes a third of the time of a read.
    const oldestFirst = this.#waiting.values();
    for (let count = 0; count < MAX_IN_A_ROW && this.#waiting.size > 0; count++) {
      const statement = oldestFirst.next().value!;
      this.#waiting.delete(statement);
      await statement.runOn(connection, this.#prepare);
      if (statement.state === "failed") return;
    }
    connection.release();
  }

  /** Fails a statement whose time has passed. If it was sent, PostgreSQL would go on with it, so it is cancelled there. */
  #expire(statement: Statement, timeLimit: number): void {
    if (statement.state === "waiting") this.#waiting.delete(statement);
    else this.#cancel(statement);
    statement.fail(timeoutError(timeLimit));
  }

  /** Sends the statement that cancels another one, as a statement of this queue. */
  #cancel({ connection, text, stores }: Statement): void {
    const processId = connection?.processID;
    if (processId === undefined) return;
    // Nobody waits for the result. If this fails, the statement goes on.
    this.query(CANCEL, cancellationOf(processId, text, stores !== undefined)).catch(ignoreError);
  }
}

/**
 * A statement, and the promise of its caller. It ends once, by its answer or by its failure, whichever comes first:
 *
 * - `waiting`: it is in the set of the queue. It fails if it is refused, if the pool has no connection for it, or if its time passes.
 * - `sent`: it has a connection of its own. It ends by the answer or the error of PostgreSQL, or if its time passes.
 * - `answered`: the promise is resolved, and the connection is the queue's again.
 * - `failed`: the promise is rejected. If the statement was sent, it has closed its connection.
 */
class Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  readonly stores: StatementOptions["stores"];
  /** When it came, in milliseconds as in `performance.now()`. */
  readonly arrivedAt: number = performance.now();
  /** The promise of the caller. */
  readonly result: Promise<Row[]>;
  readonly #resolve: (rows: Row[]) => void;
  readonly #reject: (error: StoreUnavailableError) => void;
  state: "waiting" | "sent" | "answered" | "failed" = "waiting";
  /** Fails the statement when its time has passed. The queue sets it, and the end of the statement clears it. */
  timer: ReturnType<typeof setTimeout> | undefined;
  /** The connection on which it was sent; undefined while it waits. */
  connection: Connection | undefined;

  constructor(text: string, parameters: readonly Parameter[], stores: StatementOptions["stores"]) {
    const { promise, resolve, reject } = Promise.withResolvers<Row[]>();
    this.result = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.text = text;
    this.parameters = parameters;
    this.stores = stores;
  }

  /** Sends the statement, and ends it, unless its time passes before PostgreSQL answers. The returned promise never rejects. */
  async runOn(connection: Connection, prepare: boolean): Promise<void> {
    this.state = "sent";
    this.connection = connection;
    try {
      const rows = await runStatement(connection, this.text, this.parameters, prepare);
      // If its time has passed meanwhile, it has failed already, and the connection is closed.
      if (this.state !== "sent") return;
      this.state = "answered";
      clearTimeout(this.timer);
      this.#resolve(rows);
    } catch (error) {
      // The error may also come from the end of the time, because the connection was closed.
      if (this.state === "sent") this.fail(error);
    }
  }

  /**
   * Rejects the promise of a statement that waits or was sent. If it was sent, its connection is closed: the connection may be dead, and
   * otherwise a late answer or cancellation would hit its next statement.
   */
  fail(error: unknown): void {
    this.state = "failed";
    clearTimeout(this.timer);
    if (!this.connection) return this.#reject(asUnavailable(error));
    this.#reject(failureOf(error, this.stores));
    // The pool closes a connection that it gets back with an error.
    this.connection.release(error as Error);
  }
}

/** Makes the error for the caller of a statement that was sent. */
function failureOf(error: unknown, stores: StatementOptions["stores"]): StoreUnavailableError {
  const failure = asUnavailable(error);
  // If the statement stores something, only PostgreSQL's own refusal shows that it has stored nothing.
  const hasStoredNothing = stores === undefined || isRefusal(error);
  if (hasStoredNothing) return failure;
  const { message, cause } = failure;
  return new StoreUnavailableError(`${message}; the ${stores} may have been stored`, { cause, mayBeStored: true });
}

function timeoutError(timeLimit: number): StoreUnavailableError {
  const cause = new DOMException("The query timed out", "TimeoutError");
  return new StoreUnavailableError(`PostgreSQL has not answered within ${Math.round(timeLimit)} ms`, { cause });
}
