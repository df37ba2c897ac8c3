/** What the store needs of a PostgreSQL client: statements that take no longer than they may. */

import {
  type Driver,
  ignore,
  type NodePostgresClient,
  type PostgresClient,
  type PostgresJsClient,
  type Row,
  type Running,
} from "./driver.ts";
import { asUnavailable, closed } from "./errors.ts";
import { postgresJsDriver } from "./js_driver.ts";
import { nodePostgresDriver } from "./node_driver.ts";
import { StoreUnavailableError } from "../store.ts";

/** Makes a client, which is then the store's: it is closed with the store, and replaced when its connections are dead. */
export type PostgresClientMaker = () => PostgresClient;

/** A database, whatever the driver. */
export interface Database {
  /** How long a statement may take, in milliseconds. */
  readonly timeout: number;
  /**
   * Runs one statement in a transaction of its own.
   *
   * @param deadline When it is given up, as performance.now() tells the time. Only for what writes: unlike a read it is
   * sent behind no other. Without it, a statement is given up after the timeout.
   */
  query(text: string, parameters?: string[], deadline?: number): Promise<Row[]>;
  /** Runs statements that have no parameters, in one transaction. */
  script(text: string): Promise<void>;
  /** Forgets a client that was handed in, and closes one that was made. */
  release(): Promise<void>;
}

/** Statements that may be under way or wait; to wait for more would help nobody. */
const MAX_STATEMENTS = 10_000;

/** How long a driver gets to be done with a statement that was given up, in milliseconds, before its client is replaced. */
const GRACE = 1000;

/** How long a client gets to close, in milliseconds. */
const CLOSING = 2000;

/** How a client is used. */
export interface ClientOptions {
  /** After how many milliseconds a statement is given up. What the server makes of it is then unknown. */
  timeout: number;
  /** Whether statements are prepared. */
  prepare: boolean;
}

/**
 * Wraps a client.
 *
 * @throws {TypeError} If it is none.
 */
export function openClient(source: PostgresClient | PostgresClientMaker, options: ClientOptions): Database {
  return new Client(source, options);
}

/** A statement between its arrival and the moment when the driver has done with it. */
interface Job {
  text: string;
  parameters: string[] | undefined;
  /** Whether it writes. Then it gets a connection for itself, so that it can be cancelled before it has done anything. */
  isWrite: boolean;
  /** What it has become when it is with a driver. */
  running?: Running;
  lane?: Lane;
  timer?: ReturnType<typeof setTimeout>;
  resolve(rows: Row[]): void;
  reject(error: unknown): void;
}

/** A driver, how many statements it has, and how many of them have been given up. */
interface Lane {
  driver: Driver;
  busy: number;
  overdue: number;
}

class Client implements Database {
  readonly timeout: number;
  readonly #prepare: boolean;
  readonly #make: PostgresClientMaker | undefined;
  /** In order of arrival. They wait here and not in the driver, which would not give them back. */
  readonly #waiting = new Set<Job>();
  #lane: Lane;
  #isReleased = false;

  constructor(source: PostgresClient | PostgresClientMaker, { timeout, prepare }: ClientOptions) {
    this.timeout = timeout;
    this.#prepare = prepare;
    this.#make = isMaker(source) ? source : undefined;
    this.#lane = this.#open(isMaker(source) ? source() : source);
  }

  async query(text: string, parameters: string[] = [], deadline?: number): Promise<Row[]> {
    return await this.#run(text, parameters, deadline);
  }

  async script(text: string): Promise<void> {
    await this.#run(text, undefined);
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    for (const job of [...this.#waiting]) this.#giveUp(job, closed());
    if (this.#make) await this.#lane.driver.end(CLOSING);
    else this.#lane.driver.release();
  }

  #open(client: PostgresClient): Lane {
    return { driver: adapt(client, this.#prepare), busy: 0, overdue: 0 };
  }

  #run(text: string, parameters: string[] | undefined, deadline?: number): Promise<Row[]> {
    if (this.#waiting.size >= MAX_STATEMENTS) {
      return Promise.reject(new StoreUnavailableError("Too many queries wait for PostgreSQL"));
    }
    return new Promise((resolve, reject) => {
      const isWrite = deadline !== undefined || parameters === undefined;
      const job: Job = { text, parameters, isWrite, resolve, reject };
      const time = deadline === undefined ? this.timeout : Math.max(0, deadline - performance.now());
      job.timer = setTimeout(() => this.#giveUp(job, tooLate(Math.round(time))), time);
      this.#waiting.add(job);
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    for (const job of this.#waiting) {
      const { driver, busy, overdue } = this.#lane;
      // As long as some hang, none is sent behind another: their connections may be dead.
      if (busy >= driver.size * (job.isWrite || overdue > 0 ? 1 : driver.depth)) return;
      this.#waiting.delete(job);
      this.#start(job, this.#lane);
    }
  }

  /** Counts a statement until the driver has done with it, whether or not anybody waits for it any more. */
  async #start(job: Job, lane: Lane): Promise<void> {
    lane.busy++;
    job.lane = lane;
    try {
      job.running = lane.driver.start(job.text, job.parameters, job.isWrite);
      job.resolve(await job.running.done);
    } catch (error) {
      job.reject(asUnavailable(error));
    } finally {
      clearTimeout(job.timer);
      lane.busy--;
      this.#startWaiting();
    }
  }

  #giveUp(job: Job, reason: StoreUnavailableError): void {
    clearTimeout(job.timer);
    job.reject(reason);
    if (this.#waiting.delete(job) || !job.running) return;
    const { running, lane } = job;
    if (lane) lane.overdue++;
    running.giveUp();
    // A cancelled statement ends at once. What does not is on a connection on which nothing comes any more.
    const timer = setTimeout(() => this.#replace(lane), Math.min(GRACE, this.timeout));
    running.done.catch(ignore).finally(() => {
      clearTimeout(timer);
      if (lane) lane.overdue--;
      this.#startWaiting();
    });
  }

  #replace(lane: Lane | undefined): void {
    if (lane !== this.#lane || !this.#make || this.#isReleased) return;
    try {
      this.#lane = this.#open(this.#make());
    } catch {
      // Then the old one is what there is, and the next statement that hangs leads here again.
      return;
    }
    // At once: behind a pooler, what waits for a connection there would be done when it gets one.
    lane.driver.end(0).catch(ignore);
    this.#startWaiting();
  }
}

function tooLate(time: number): StoreUnavailableError {
  const cause = new DOMException("The query timed out", "TimeoutError");
  return new StoreUnavailableError(`PostgreSQL has not answered within ${time} ms`, { cause });
}

/** Told by shape: to import a driver in order to ask it would make everybody install it. */
function adapt(client: PostgresClient, prepare: boolean): Driver {
  if (isPostgresJs(client)) return postgresJsDriver(client, prepare);
  if (typeof client === "object" && client !== null && "query" in client && !isSingle(client)) {
    return nodePostgresDriver(client satisfies NodePostgresClient, prepare);
  }
  throw new TypeError(
    "The client of a PostgreSQL store must be the sql of postgres.js, a Pool of node-postgres, or a function that makes one",
  );
}

function isPostgresJs(client: unknown): client is PostgresJsClient {
  return typeof client === "function" && "unsafe" in client;
}

/** A `Client` of node-postgres: one connection, on which creates would be part of the app's own transactions. */
function isSingle(client: object): boolean {
  return "processID" in client && !("totalCount" in client);
}

function isMaker(source: unknown): source is PostgresClientMaker {
  return typeof source === "function" && !isPostgresJs(source);
}
