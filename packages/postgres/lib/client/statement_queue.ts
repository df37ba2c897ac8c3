/**
 * The way of a statement from its caller to PostgreSQL: it waits in a {@link StatementQueue} for a
 * connection, and its caller gets the rows or an error within the time limit. All statements of a
 * store go this way.
 */

import { StoreUnavailableError } from "@petstore/petstore/store";
import { storeClosed } from "@petstore/petstore/store/toolkit";
import type { CheckedOptions } from "../options.ts";
import { CANCEL } from "../statements.ts";
import {
  type Connection,
  maxConnectionsOf,
  type Parameter,
  type PostgresPool,
  type Row,
  runStatement,
} from "./connection.ts";
import { asUnavailable, failureOf, isAnswer, timeoutError } from "./errors.ts";
import { guardPool, ignoreError } from "./driver_workarounds.ts";

/** How many statements may wait for a connection. */
const MAX_WAITING = 10_000;

/**
 * After this time, in milliseconds, a connection goes back to the pool: the keys, the app or
 * another store may wait for it there, and the pool may end it because of its age. A count of
 * statements would let them wait too long while statements are slow.
 */
const MAX_LEASE_MS = 100;

/** A store with a pool of connections, as an observer sees it. */
export interface PooledStore {
  /** How many connections there may be, and how many statements run on one or wait for one. */
  readonly pool: Record<"size" | "running" | "waiting", number>;
}

export interface StatementOptions {
  /** When the statement must have ended, in milliseconds as in `performance.now()`. Default: `timeoutMs` from now. */
  deadline?: number;
  /**
   * What the statement stores, if it stores something. Without an answer it is unknown whether it
   * has done so: the error says that, and the statement is cancelled only before its commit.
   */
  whatItStores?: "pet" | "change of the keys";
  /**
   * Whether the statement cancels another one. It goes before all others, however many wait: behind
   * them, each connection would leave statements in PostgreSQL faster than they are cancelled. It
   * is not cancelled itself, because its own cancellation would hang too.
   */
  isCancellation?: boolean;
}

/** A connection that was taken out of the pool. One statement after the other gets it. */
interface Lease {
  connection: Connection;
  /** When the connection was taken out, in milliseconds as in `performance.now()`. */
  since: number;
}

/**
 * Runs statements with a time limit, each on a connection that runs no other one meanwhile.
 *
 * A connection that was taken out of the pool passes from statement to statement. It goes back when
 * none waits or after a moment, and is closed if its statement fails.
 */
export class StatementQueue {
  /**
   * The name of the schema that has the tables. The queue does not use it: it is for the callers,
   * who write the statements.
   */
  readonly schema: string;
  readonly timeoutMs: number;
  readonly #pool: PostgresPool;
  readonly #prepare: boolean;
  /**
   * The promises of a connection for which statements wait, in the order of their turns:
   * cancellations, and then the others, the oldest first. They wait here because the pool cannot
   * remove one from its own queue.
   */
  readonly #waiting: PromiseWithResolvers<Lease>[] = [];
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
    // Without this, the loss of an idle connection would end the process.
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
   * @param text Without parameters, it is not prepared, and may contain several statements, which
   * have no rows.
   * @throws {StoreUnavailableError} If it fails, or its time passes.
   */
  async query(
    text: string,
    parameters: readonly Parameter[] = [],
    { deadline, whatItStores, isCancellation = false }: StatementOptions = {},
  ): Promise<Row[]> {
    if (!isCancellation && this.#waiting.length >= MAX_WAITING) {
      throw new StoreUnavailableError("Too many queries wait for PostgreSQL");
    }
    const limit = startTimeLimit(deadline === undefined ? this.timeoutMs : deadline - performance.now());
    try {
      const lease = await this.#takeTurn(limit, isCancellation);
      try {
        const rows = await this.#run(lease.connection, limit, text, parameters);
        this.#handOn(lease);
        return rows;
      } catch (error) {
        const failure = failureOf(error, whatItStores);
        // The time may have passed, also that of the app's pool (`query_timeout`), or the
        // connection to a pooler was lost. In each case, PostgreSQL may go on with the statement.
        if (!isAnswer(error) && !isCancellation) this.#cancel(lease.connection, text, whatItStores);
        // The connection may be dead, and otherwise a late answer or cancellation would hit its next statement.
        this.#release(lease.connection, failure);
        throw failure;
      }
    } finally {
      clearTimeout(limit.timer);
    }
  }

  /** Waits for a connection, until the time has passed. */
  #takeTurn(limit: TimeLimit, isFirst: boolean): Promise<Lease> {
    const turn = Promise.withResolvers<Lease>();
    if (isFirst) this.#waiting.unshift(turn);
    else this.#waiting.push(turn);
    limit.onExpiry = (error) => {
      this.#waiting.splice(this.#waiting.indexOf(turn), 1);
      turn.reject(error);
    };
    if (this.#running < this.#maxRunning) this.#open();
    return turn.promise;
  }

  /** Sends a statement, and waits for its rows, until the time has passed. */
  #run(connection: Connection, limit: TimeLimit, text: string, parameters: readonly Parameter[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      limit.onExpiry = reject;
      runStatement(connection, text, parameters, this.#prepare).then(resolve, reject);
    });
  }

  /** How busy the connections are. */
  get load(): PooledStore["pool"] {
    return { size: maxConnectionsOf(this.#pool), running: this.#running, waiting: this.#waiting.length };
  }

  /**
   * Refuses the statements that wait, and leaves the pool open. Statements that were sent go on,
   * each within its time limit.
   */
  refuseWaiting(): void {
    for (const { reject } of this.#waiting.splice(0)) reject(storeClosed());
  }

  /** Takes a connection out of the pool. If that fails, the statement whose turn is next fails too. */
  async #open(): Promise<void> {
    this.#running++;
    const newest = this.#waiting.at(-1)!;
    try {
      const connection = await this.#pool.connect() as Connection | undefined;
      // This is how pg reports that a hook of the app, `onConnect`, has rejected without a reason.
      if (!connection) throw new Error("the pool has given no connection");
      this.#handOn({ connection, since: performance.now() });
    } catch (error) {
      // A statement that came only during this attempt waits for another one. The others have their
      // turn in order, so the oldest came before it if the newest of that time still waits. A
      // cancellation that came meanwhile fails in its place.
      if (this.#waiting.includes(newest)) this.#waiting.shift()!.reject(asUnavailable(error));
      this.#countEnd();
    }
  }

  /**
   * Gives a connection to the statement whose turn is next, or back to the pool if none waits. This
   * is for speed: to give it back and take it again for each statement would cost more than a read.
   */
  #handOn(lease: Lease): void {
    const next = performance.now() - lease.since < MAX_LEASE_MS ? this.#waiting.shift() : undefined;
    if (!next) return this.#release(lease.connection);
    next.resolve(lease);
  }

  /** Gives a connection back to the pool, which closes it if there is an error. */
  #release(connection: Connection, error?: Error): void {
    try {
      connection.release(error);
    } catch {
      // The pool refuses a connection that a listener of the app has given back, for example when
      // the connection was lost. Its end counts all the same. Otherwise the store would have no
      // connection left after a few.
    }
    this.#countEnd();
  }

  /** Counts a connection that is used no more. The statements that wait get another one. */
  #countEnd(): void {
    this.#running--;
    if (this.#waiting.length > 0) this.#open();
  }

  /**
   * Cancels a statement that PostgreSQL has not answered. The cancellation is a statement that
   * waits in this queue, before the others.
   */
  #cancel({ processID }: Connection, text: string, whatItStores: string | undefined): void {
    if (typeof processID !== "number") return;
    // A statement that stores something is cancelled only while it waits for a lock, which is
    // before its commit. Later it may wait until a synchronous standby has its commit. If that wait
    // were cancelled, others would see what it has stored, and a failover to the standby would take
    // it back. A statement that is not cancelled keeps its locks, and the creates after it wait for
    // these locks until their own time has passed.
    const mayCancel = whatItStores === undefined ? "always" : "while it waits for a lock";
    // No caller waits for the result. If this fails, the statement goes on.
    this.query(CANCEL, [String(processID), text, mayCancel], { isCancellation: true }).catch(ignoreError);
  }
}

/**
 * The time of a statement. It has one timer, and not one for each wait, because a timer costs a
 * twentieth of a read.
 */
interface TimeLimit {
  readonly timer: ReturnType<typeof setTimeout>;
  /** Ends what the statement waits for: first its turn, and then its rows. */
  onExpiry(error: Error): void;
}

function startTimeLimit(ms: number): TimeLimit {
  const timer = setTimeout(() => limit.onExpiry(timeoutError(ms)), ms);
  const limit: TimeLimit = { timer, onExpiry: () => {} };
  return limit;
}
