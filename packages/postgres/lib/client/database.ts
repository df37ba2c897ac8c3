import { StoreUnavailableError } from "@petstore/petstore/store";
import { storeClosed } from "@petstore/petstore/store/toolkit";
import { isDefect } from "./errors.ts";
import {
  BrokenResultError,
  type Connection,
  ignore,
  type PostgresPool,
  type Row,
  runStatement,
  sizeOf,
  statementName,
  unwatchPool,
  watchPool,
} from "./pool.ts";
import { closeConnection, explain, giveBack, isStill, type Statement, type Stored } from "./statement.ts";

/** How many statements may wait for a connection. */
const MAX_WAITING = 10_000;

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

/** A store with a pool of connections, as an observer sees it. */
export interface PooledStore {
  /** How many connections there may be, and how many statements run on one or wait for one. */
  readonly pool: Record<"size" | "running" | "waiting", number>;
}

/** After this many statements, a connection goes back to the pool, which may end it because of its age. */
const MAX_IN_A_ROW = 1000;

const GIVEN_UP_ERROR = new Error("The query was given up");

/** Runs statements with a time limit. A connection runs one statement at a time. */
export class Database {
  readonly schema: string;
  readonly timeoutMs: number;
  /** Whether this program has just made the tables. */
  isNew = false;
  readonly #pool: PostgresPool;
  readonly #prepare: boolean;
  /**
   * The statements that wait for a connection, in the order in which they came. They wait here because the pool cannot
   * remove one from its own queue.
   */
  readonly #waiting = new Set<Statement>();
  /** How many connections the statements may use at a time. */
  readonly #maxRunning: number;
  #running = 0;

  /** @param maxRunning How many statements may run at a time. Default: as many as the pool has connections. */
  constructor(pool: PostgresPool, options: PostgresStoreOptions, maxRunning?: number) {
    const { schema = DEFAULT_SCHEMA, timeoutMs = 5000, prepare = true } = options;
    watchPool(pool);
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

  /** Releases the pool, which stays open, and refuses the statements that wait. Statements that run end by their time limits. */
  release(): void {
    for (const statement of [...this.#waiting]) this.#giveUp(statement, storeClosed());
    unwatchPool(this.#pool);
  }

  /**
   * Runs a statement, and returns its rows.
   *
   * @param parameters The values of the parameters. If this is `null`, `text` may contain several statements, and there are no rows.
   */
  query(
    text: string,
    parameters: readonly string[] | null = [],
    { deadline, mayStore }: Limits = {},
  ): Promise<Row[]> {
    if (this.#waiting.size >= MAX_WAITING) {
      return Promise.reject(new StoreUnavailableError("Too many queries wait for PostgreSQL"));
    }
    return new Promise((resolve, reject) => {
      const statement: Statement = { text, parameters, mayStore, state: "queued", resolve, reject };
      const timeLimit = deadline === undefined ? this.timeoutMs : Math.max(0, deadline - performance.now());
      statement.timer = setTimeout(() => this.#giveUp(statement, timeoutError(Math.round(timeLimit))), timeLimit);
      this.#waiting.add(statement);
      this.#runWaiting();
    });
  }

  /** Runs statements that wait, on as many connections as may be used. */
  #runWaiting(): void {
    while (this.#running < this.#maxRunning) {
      const statement = this.#takeWaiting();
      if (!statement) return;
      this.#runInARow(statement);
    }
  }

  /** Takes the statement that has waited longest out of the queue. */
  #takeWaiting(): Statement | undefined {
    const [statement] = this.#waiting;
    if (statement) this.#waiting.delete(statement);
    return statement;
  }

  /**
   * Takes a connection out of the pool for a statement, and runs on it those that wait, too. This is for speed: to give the connection back
   * and take it again would cost more than a read.
   */
  async #runInARow(first: Statement): Promise<void> {
    this.#running++;
    const connection = await this.#connectFor(first);
    if (connection) {
      let isUsable = await this.#run(first, connection);
      for (let count = 1; isUsable && count < MAX_IN_A_ROW; count++) {
        const next = this.#takeWaiting();
        if (!next) break;
        isUsable = await this.#run(next, connection);
      }
      if (isUsable) giveBack(connection);
    }
    this.#running--;
    this.#runWaiting();
  }

  /** Takes a connection out of the pool. If that fails, the statement fails, and the result is undefined. */
  async #connectFor(statement: Statement): Promise<Connection | undefined> {
    statement.state = "connecting";
    try {
      const connection = await this.#pool.connect() as Connection;
      connection.on("error", ignore);
      return connection;
    } catch (error) {
      clearTimeout(statement.timer);
      statement.reject(explain(error, statement));
      return undefined;
    }
  }

  /**
   * Runs a statement, and settles its promise. Never rejects.
   *
   * @returns Whether the connection can be used further. It is closed if the statement has failed or was given up.
   */
  async #run(statement: Statement, connection: Connection): Promise<boolean> {
    // A statement that was given up while it waited for the connection is not sent.
    if (statement.state === "given up") return true;
    statement.state = "sent";
    statement.connection = connection;
    const { text, parameters } = statement;
    try {
      const name = parameters !== null && this.#prepare ? statementName(text) : undefined;
      statement.resolve(await runStatement(connection, text, parameters, name));
      // The statement may have been given up at the moment at which its result came.
      return isStill("sent", statement);
    } catch (thrown) {
      // Only texts were sent, so an error of the driver itself means a response that it could not read.
      const error = isDefect(thrown) ? new BrokenResultError("the result cannot be read", { cause: thrown }) : thrown;
      closeConnection(statement, error as Error);
      statement.reject(explain(error, statement));
      return false;
    } finally {
      clearTimeout(statement.timer);
      statement.connection = undefined;
    }
  }

  /** Rejects a statement, and cancels it in PostgreSQL if it was sent. */
  #giveUp(statement: Statement, reason: StoreUnavailableError): void {
    clearTimeout(statement.timer);
    statement.reject(explain(reason, statement));
    const { state, connection } = statement;
    statement.state = "given up";
    if (state === "queued") this.#waiting.delete(statement);
    if (state !== "sent" || !connection) return;
    this.#cancel(statement, connection.processID);
    // The connection is closed, because it may be dead, and because a late cancellation would hit its next statement.
    closeConnection(statement, GIVEN_UP_ERROR);
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

function timeoutError(timeoutMs: number): StoreUnavailableError {
  const cause = new DOMException("The query timed out", "TimeoutError");
  return new StoreUnavailableError(`PostgreSQL has not answered within ${timeoutMs} ms`, { cause });
}
