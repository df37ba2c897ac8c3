import { StoreUnavailableError } from "@petstore/petstore/store";
import { storeClosed } from "@petstore/petstore/store/toolkit";
import { asUnavailable, isRefusal } from "./errors.ts";
import {
  type Connection,
  guardPool,
  ignore,
  type Parameter,
  type PostgresPool,
  type Row,
  runStatement,
  sizeOf,
  statementName,
} from "./pool.ts";

/** How many statements may wait for a connection. */
const MAX_WAITING = 10_000;

/** After this many statements, a connection goes back to the pool, which may end it because of its age. */
const MAX_IN_A_ROW = 1000;

/**
 * Cancels the statement of a process if it waits for a lock, or in any case if the second parameter is `all`. A pooler shows other
 * processes than those of PostgreSQL, and after a failover the process may be one of another server. So the third parameter is the text
 * of the statement, of which PostgreSQL may know only the beginning.
 */
const CANCEL = `SELECT pg_catalog.pg_cancel_backend(pid)::pg_catalog.text FROM pg_catalog.pg_stat_activity
  WHERE pid OPERATOR(pg_catalog.=) $1::pg_catalog.int4 AND pg_catalog.starts_with($3::pg_catalog.text, query)
    AND (wait_event_type OPERATOR(pg_catalog.=) 'Lock' OR $2::pg_catalog.text OPERATOR(pg_catalog.=) 'all')`;

/** Options of `createPostgresStore()`. */
export interface PostgresStoreOptions {
  /**
   * The schema of the tables: up to 48 lower-case letters, digits and `_`, not starting with a digit or `pg_`. Default:
   * `petstore`.
   */
  schema?: string;
  /**
   * The time limit of a statement, in milliseconds. A create that has waited half of it for earlier creates is refused.
   * Default: 5000.
   */
  timeoutMs?: number;
  /**
   * Whether to prepare statements. Use `false` with a pooler without support, such as PgBouncer before 1.24 with its defaults. Default:
   * `true`.
   */
  prepare?: boolean;
}

export const DEFAULT_SCHEMA = "petstore";

export interface Limits {
  /** When the statement must have ended, in milliseconds as in `performance.now()`. Default: `timeoutMs` from now. */
  deadline?: number;
  /** What the statement may store, although it fails. Its caller is told so, and it is not cancelled as others are: see `#cancel()`. */
  mayStore?: Stored;
}

/** What a statement may store, as a part of a message. */
type Stored = "pet" | "change of the keys";

/** A store with a pool of connections, as an observer sees it. */
export interface PooledStore {
  /** How many connections there may be, and how many statements run on one or wait for one. */
  readonly pool: Record<"size" | "running" | "waiting", number>;
}

/** A statement that has not ended. */
interface Statement {
  text: string;
  parameters: readonly Parameter[];
  mayStore: Stored | undefined;
  /** When it came, in milliseconds as in `performance.now()`. */
  arrivedAt: number;
  /** Gives the statement up when its time has passed. */
  timer: ReturnType<typeof setTimeout>;
  resolve(rows: Row[]): void;
  reject(error: StoreUnavailableError): void;
}

/**
 * Runs statements with a time limit. A connection runs one statement at a time.
 *
 * A statement first waits, is then sent on a connection, and ends with its result. When its time has passed, it is given up, whether it
 * waits or was sent.
 */
export class Database {
  readonly schema: string;
  readonly timeoutMs: number;
  readonly #pool: PostgresPool;
  readonly #prepare: boolean;
  /** The statements that wait, the oldest first. They wait here because the pool cannot remove one from its own queue. */
  readonly #waiting = new Set<Statement>();
  /** The statements that PostgreSQL may have got, each with its connection. */
  readonly #sent = new Map<Statement, Connection>();
  /** How many connections may be used at a time. */
  readonly #maxRunning: number;
  /** How many connections are used, or being opened. */
  #running = 0;

  /** @param maxRunning How many statements may run at a time. Default: as many as the pool has connections. */
  constructor(pool: PostgresPool, options: PostgresStoreOptions, maxRunning?: number) {
    const { schema = DEFAULT_SCHEMA, timeoutMs = 5000, prepare = true } = options;
    guardPool(pool);
    this.#pool = pool;
    this.schema = schema;
    this.timeoutMs = timeoutMs;
    this.#prepare = prepare;
    this.#maxRunning = maxRunning ?? sizeOf(pool);
  }

  /** How busy the connections are. */
  get load(): PooledStore["pool"] {
    return { size: sizeOf(this.#pool), running: this.#running, waiting: this.#waiting.size };
  }

  /** Refuses the statements that wait, and leaves the pool open. Statements that were sent end by their time limits. */
  release(): void {
    for (const statement of this.#waiting) this.#giveUp(statement, storeClosed());
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
      const timer = setTimeout(() => this.#giveUp(statement, timeoutError(timeLimit)), timeLimit);
      const statement: Statement = { text, parameters, mayStore, arrivedAt, timer, resolve, reject };
      this.#waiting.add(statement);
      if (this.#running < this.#maxRunning) this.#runWaiting();
    });
  }

  /** Uses one connection at a time for the statements that wait, until none is left. */
  async #runWaiting(): Promise<void> {
    this.#running++;
    while (this.#waiting.size > 0) {
      const connection = await this.#connect();
      if (connection) await this.#runOn(connection);
    }
    this.#running--;
  }

  /**
   * Takes a connection out of the pool. If that fails, the result is undefined, and the statement that has waited longest fails too. One that
   * came later than the attempt began waits for another attempt.
   */
  async #connect(): Promise<Connection | undefined> {
    const begun = performance.now();
    try {
      return await this.#pool.connect() as Connection;
    } catch (error) {
      const [oldest] = this.#waiting;
      if (oldest && oldest.arrivedAt <= begun) this.#giveUp(oldest, asUnavailable(error));
      return undefined;
    }
  }

  /**
   * Runs statements that wait on a connection, one after the other, and gives it back. This is for speed: to give the connection back and
   * take it again for each would cost more than a read.
   */
  async #runOn(connection: Connection): Promise<void> {
    for (let count = 0; count < MAX_IN_A_ROW; count++) {
      const statement = this.#takeWaiting();
      if (!statement) break;
      const isUsable = await this.#run(statement, connection);
      if (!isUsable) return;
    }
    connection.release();
  }

  /** Takes the statement that has waited longest out of the queue. */
  #takeWaiting(): Statement | undefined {
    const [statement] = this.#waiting;
    if (statement) this.#waiting.delete(statement);
    return statement;
  }

  /**
   * Sends a statement, and settles its promise. Never rejects.
   *
   * @returns Whether the connection can be used further. It is closed if the statement has failed or was given up.
   */
  async #run(statement: Statement, connection: Connection): Promise<boolean> {
    const { text, parameters, mayStore } = statement;
    let failure: Error | undefined;
    this.#sent.set(statement, connection);
    try {
      const name = this.#prepare && parameters.length > 0 ? statementName(text) : undefined;
      statement.resolve(await runStatement(connection, text, parameters, name));
    } catch (error) {
      failure = error as Error;
      statement.reject(explain(failure, mayStore));
    }
    clearTimeout(statement.timer);
    const wasGivenUp = !this.#sent.delete(statement);
    if (wasGivenUp) return false;
    if (failure) connection.release(failure);
    return failure === undefined;
  }

  /** Rejects a statement. If it was sent, cancels it in PostgreSQL too. */
  #giveUp(statement: Statement, reason: StoreUnavailableError): void {
    const { timer, mayStore } = statement;
    const connection = this.#sent.get(statement);
    this.#waiting.delete(statement);
    this.#sent.delete(statement);
    clearTimeout(timer);
    if (!connection) return statement.reject(reason);
    statement.reject(explain(reason, mayStore));
    this.#cancel(statement, connection.processID);
    // The connection is closed, because it may be dead, and because a late cancellation would hit its next statement.
    connection.release(reason);
  }

  /**
   * Cancels a statement in PostgreSQL. One that may store something is cancelled only while it waits for a lock, since a cancelled wait for a
   * synchronous standby would show what a failover takes back. Such a statement keeps its locks, and the creates after it wait for these
   * locks until they are given up.
   */
  #cancel({ text, mayStore }: Statement, processId: number | undefined): void {
    if (processId === undefined) return;
    this.query(CANCEL, [String(processId), mayStore ? "wait" : "all", text]).catch(ignore);
  }
}

/**
 * Makes the error that the caller of a statement gets that was sent. If the statement stores something, only PostgreSQL's own refusal shows
 * that it has stored nothing.
 */
function explain(error: Error, mayStore: Stored | undefined): StoreUnavailableError {
  const known = asUnavailable(error);
  if (!mayStore || isRefusal(error)) return known;
  const { message, cause } = known;
  return new StoreUnavailableError(`${message}; the ${mayStore} may have been stored`, { cause, mayBeStored: true });
}

function timeoutError(timeLimit: number): StoreUnavailableError {
  const cause = new DOMException("The query timed out", "TimeoutError");
  return new StoreUnavailableError(`PostgreSQL has not answered within ${Math.round(timeLimit)} ms`, { cause });
}
