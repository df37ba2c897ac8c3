/**
 * The way of a statement from its caller to PostgreSQL: it waits in a {@link StatementQueue} for a connection, and its caller gets the rows
 * or an error within the time limit. All statements of a store go this way.
 */

import { StoreUnavailableError } from "@petstore/petstore/store";
import { storeClosed } from "@petstore/petstore/store/toolkit";
import type { CheckedOptions } from "../options.ts";
import type { Connection, Parameter, Row } from "./connection.ts";
import { maxConnectionsOf, type PostgresPool } from "./pool.ts";
import { guardPool, ignoreError } from "./pool_guard.ts";
import { Statement } from "./statement.ts";

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
   * the statement is cancelled only before its commit.
   */
  whatItStores?: "pet" | "change of the keys";
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
  query(
    text: string,
    parameters: readonly Parameter[] = [],
    { deadline, whatItStores }: StatementOptions = {},
  ): Promise<Row[]> {
    if (this.#waiting.size >= MAX_WAITING) {
      return Promise.reject(new StoreUnavailableError("Too many queries wait for PostgreSQL"));
    }
    const timeLimit = deadline === undefined ? this.timeoutMs : Math.max(0, deadline - performance.now());
    const onTimeout = () => this.#giveUp(statement);
    const statement = new Statement({ text, parameters, whatItStores, timeLimit, onTimeout });
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

  /**
   * Uses one connection at a time for the statements that wait, until each of them was sent or has failed. Several such loops may run. The
   * returned promise never rejects, because each failure is that of a statement.
   */
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
    let count = 0;
    // The loop also comes to statements that are added meanwhile, and not to those that other loops have taken. So it ends when none waits. For
    // speed, it is one loop: with 9,000 waiting, to look for the oldest one anew each time would take a third of the time of a read.
    for (const statement of this.#waiting) {
      this.#waiting.delete(statement);
      const isAnswered = await statement.runOn(connection, this.#prepare);
      if (!isAnswered) return;
      if (++count === MAX_IN_A_ROW) break;
    }
    connection.release();
  }

  /**
   * Sees to it that a statement whose time has passed is not sent. If it was, PostgreSQL would go on with it, so it is cancelled there, by a
   * statement that waits in this queue like others.
   */
  #giveUp(statement: Statement): void {
    this.#waiting.delete(statement);
    const processId = statement.connection?.processID;
    if (processId === undefined) return;
    // A statement that stores something is cancelled only while it waits for a lock, which is before its commit. Later it may wait until a
    // synchronous standby has its commit. If that wait were cancelled, others would see what it has stored, and a failover to the standby
    // would take it back. A statement that is not cancelled keeps its locks, and the creates after it wait for these locks until their own
    // time has passed.
    const mayCancel = statement.whatItStores === undefined ? "always" : "while it waits for a lock";
    // No caller waits for the result. If this fails, the statement goes on.
    this.query(CANCEL, [String(processId), statement.text, mayCancel]).catch(ignoreError);
  }
}

/**
 * Cancels the statement that a process of PostgreSQL runs. Parameters:
 *
 * 1. The number of the process.
 * 2. The text of the statement, of which PostgreSQL may know only the beginning. No other statement must be cancelled: a pooler shows other
 *    processes than those of PostgreSQL, and after a failover the process may be one of another server.
 * 3. `always`, or another text if the statement may be cancelled only while it waits for a lock.
 *
 * The operators are written as `OPERATOR(pg_catalog.=)`, since a schema in the search path could define its own `=`.
 */
export const CANCEL = `SELECT pg_catalog.pg_cancel_backend(pid)::pg_catalog.text FROM pg_catalog.pg_stat_activity
  WHERE pid OPERATOR(pg_catalog.=) $1::pg_catalog.int4 AND pg_catalog.starts_with($2::pg_catalog.text, query)
    AND (wait_event_type OPERATOR(pg_catalog.=) 'Lock' OR $3::pg_catalog.text OPERATOR(pg_catalog.=) 'always')`;
