import { StoreUnavailableError } from "../../store.ts";
import { storeClosed, uncertain } from "../../write.ts";
import {
  BrokenResultError,
  type Driver,
  ignore,
  type PostgresClient,
  type Row,
  type RunningStatement,
} from "./driver.ts";
import { asUnavailable, isDefect, isRefusal } from "./errors.ts";
import { isPostgresJs, postgresJsDriver } from "./js_driver.ts";
import { isPool, nodePostgresDriver } from "./node_driver.ts";

/** Creates a client. The store closes it, and replaces it when its connections hang. */
export type PostgresClientMaker = () => PostgresClient;

const MAX_WAITING = 10_000;

/** A client that needs longer to finish a statement that was given up is replaced. In milliseconds. */
const GRACE_PERIOD = 1000;

const CLOSE_TIMEOUT = 2000;

/** Cancels a wait for a lock, or all of a statement if the second parameter is `all`. A pooler shows other processes. */
const CANCEL = `SELECT pg_catalog.pg_cancel_backend(pid)::pg_catalog.text FROM pg_catalog.pg_stat_activity
  WHERE pid OPERATOR(pg_catalog.=) $1::pg_catalog.int4
    AND (wait_event_type OPERATOR(pg_catalog.=) 'Lock' OR $2::pg_catalog.text OPERATOR(pg_catalog.=) 'all')`;

/** Whether any session runs this statement for so many milliseconds. The text that PostgreSQL shows may be cut. */
const RUNS = `SELECT 'yes'::pg_catalog.text FROM pg_catalog.pg_stat_activity
  WHERE state OPERATOR(pg_catalog.=) 'active' AND pg_catalog.starts_with($1::pg_catalog.text, query)
    AND query_start OPERATOR(pg_catalog.<) (pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-)
      pg_catalog.make_interval(secs => $2::pg_catalog.float8 OPERATOR(pg_catalog./) 1000)) LIMIT 1`;

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
   * Whether to prepare statements. Use `false` with a pooler without support, such as PgBouncer before 1.21. Default:
   * `true`.
   */
  prepare?: boolean;
}

export const DEFAULT_SCHEMA = "petstore";

export interface Limits {
  /** As in `performance.now()`. Only a write has one, and it gets a connection for itself. */
  deadline?: number;
  /** Once sent, only the wait for a lock is cancelled: else a pet would be visible that a failover takes back. */
  addsPets?: boolean;
}

interface Statement {
  text: string;
  parameters: string[] | null;
  /** A write needs a connection for itself, so that it can be cancelled before it starts. */
  isWrite: boolean;
  addsPets: boolean;
  running?: RunningStatement;
  client?: ClientState;
  timer?: ReturnType<typeof setTimeout>;
  resolve(rows: Row[]): void;
  reject(error: unknown): void;
}

interface ClientState {
  driver: Driver;
  busy: number;
  overdue: number;
  /** When the driver last got a response, as in `performance.now()`. */
  answeredAt: number;
}

/** A store with a pool of connections, as an observer sees it. */
export interface PooledStore {
  /** Reads share connections if more run than its size. */
  readonly pool: Record<"size" | "running" | "waiting", number>;
}

export class Database {
  readonly schema: string;
  readonly timeoutMs: number;
  isNew = false;
  readonly #prepare: boolean;
  readonly #makeClient: PostgresClientMaker | undefined;
  /** In order of arrival. They wait here because a driver cannot remove a statement from its own queue. */
  readonly #waiting = new Set<Statement>();
  #client: ClientState;
  #isReleased = false;

  constructor(
    source: PostgresClient | PostgresClientMaker,
    { schema = DEFAULT_SCHEMA, timeoutMs = 5000, prepare = true }: PostgresStoreOptions,
  ) {
    this.schema = schema;
    this.timeoutMs = timeoutMs;
    this.#prepare = prepare;
    this.#makeClient = isMaker(source) ? source : undefined;
    this.#client = this.#open(isMaker(source) ? source() : source);
  }

  get load(): PooledStore["pool"] {
    return { size: this.#client.driver.size, running: this.#client.busy, waiting: this.#waiting.size };
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    for (const statement of [...this.#waiting]) this.#giveUp(statement, storeClosed());
    if (this.#makeClient) await this.#client.driver.end(CLOSE_TIMEOUT);
    else this.#client.driver.release();
  }

  #open(client: PostgresClient): ClientState {
    return { driver: driverFor(client, this.#prepare), busy: 0, overdue: 0, answeredAt: -Infinity };
  }

  /** @param parameters Without them (`null`), `text` may contain several statements. */
  query(text: string, parameters: string[] | null = [], { deadline, addsPets = false }: Limits = {}): Promise<Row[]> {
    if (this.#waiting.size >= MAX_WAITING) {
      return Promise.reject(new StoreUnavailableError("Too many queries wait for PostgreSQL"));
    }
    return new Promise((resolve, reject) => {
      const isWrite = deadline !== undefined || parameters === null;
      const statement: Statement = { text, parameters, isWrite, addsPets, resolve, reject };
      const timeLimit = deadline === undefined ? this.timeoutMs : Math.max(0, deadline - performance.now());
      statement.timer = setTimeout(() => this.#giveUp(statement, timeoutError(Math.round(timeLimit))), timeLimit);
      this.#waiting.add(statement);
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    for (const statement of this.#waiting) {
      const { driver, busy, overdue } = this.#client;
      // While statements are overdue, each gets a connection for itself, because some connections may be dead.
      if (busy >= driver.size * (statement.isWrite || overdue > 0 ? 1 : driver.depth)) return;
      this.#waiting.delete(statement);
      this.#start(statement, this.#client);
    }
  }

  /** It is busy until the driver has finished with it, even after it was given up. */
  async #start(statement: Statement, client: ClientState): Promise<void> {
    client.busy++;
    statement.client = client;
    try {
      statement.running = client.driver.start(statement.text, statement.parameters, statement.isWrite);
      const rows = await statement.running.done;
      client.answeredAt = performance.now();
      statement.resolve(rows);
    } catch (thrown) {
      // The driver gets nothing but texts, so it is the response that it could not read.
      const error = isDefect(thrown) ? new BrokenResultError("the result cannot be read", { cause: thrown }) : thrown;
      statement.reject(explain(error, statement));
      if (error instanceof BrokenResultError) this.#replace(client);
    } finally {
      clearTimeout(statement.timer);
      client.busy--;
      this.#startWaiting();
    }
  }

  #giveUp(statement: Statement, reason: StoreUnavailableError): void {
    clearTimeout(statement.timer);
    statement.reject(explain(reason, statement));
    if (this.#waiting.delete(statement) || !statement.running) return;
    const { running, client, addsPets } = statement;
    const mayCancel = !addsPets;
    if (client) client.overdue++;
    const process = running.process();
    if (!running.giveUp(mayCancel) && process !== undefined) {
      this.query(CANCEL, [String(process), mayCancel ? "all" : "wait"]).catch(ignore);
    }
    const givenUpAt = performance.now(), wait = Math.min(GRACE_PERIOD, this.timeoutMs);
    const check = async () => {
      // A cancelled statement ends at once, unless its connection is dead. A create may wait for a standby, while PostgreSQL answers
      // others; if it runs no more, the driver has lost it.
      const mayRun = this.#makeClient && !this.#isReleased && !mayCancel && client && client.answeredAt >= givenUpAt &&
        await this.query(RUNS, [statement.text, String(wait)]).then(([row]) => row, () => true);
      if (!mayRun) this.#replace(client);
      else timer = setTimeout(check, wait);
    };
    let timer = setTimeout(check, wait);
    running.done.catch(ignore).finally(() => {
      clearTimeout(timer);
      if (client) client.overdue--;
      this.#startWaiting();
    });
  }

  #replace(client: ClientState | undefined): void {
    if (client !== this.#client || !this.#makeClient || this.#isReleased) return;
    try {
      this.#client = this.#open(this.#makeClient());
    } catch {
      // The old client stays until the next statement hangs.
      return;
    }
    // Without waiting: a statement that is queued in a pooler could still run later.
    client.driver.end(0).catch(ignore);
    this.#startWaiting();
  }
}

/** Once PostgreSQL may have got a create, only its own refusal shows that no pet was stored. */
function explain(error: unknown, { addsPets, running }: Statement): unknown {
  const known = asUnavailable(error);
  const isUnknown = addsPets && running?.wasSent() && known instanceof StoreUnavailableError && !isRefusal(error);
  return isUnknown ? uncertain(known) : known;
}

function timeoutError(timeoutMs: number): StoreUnavailableError {
  const cause = new DOMException("The query timed out", "TimeoutError");
  return new StoreUnavailableError(`PostgreSQL has not answered within ${timeoutMs} ms`, { cause });
}

/** Recognizes drivers by shape, because importing them would make both of them dependencies. */
function driverFor(client: PostgresClient, prepare: boolean): Driver {
  if (isPostgresJs(client)) return postgresJsDriver(client, prepare);
  if (isPool(client)) return nodePostgresDriver(client, prepare);
  throw new TypeError(
    "The client of a PostgreSQL store must be the sql of postgres.js, a Pool of node-postgres, " +
      `or a function that returns one of them, not ${kindOf(client)}`,
  );
}

function kindOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return value == null ? String(value) : `a ${typeof value}`;
  if ("then" in value) return "a promise";
  return "processID" in value ? "a Client of node-postgres" : "another object";
}

function isMaker(source: unknown): source is PostgresClientMaker {
  return typeof source === "function" && !isPostgresJs(source);
}
