/** What the store needs of a PostgreSQL driver, and how postgres.js and node-postgres give it. */

import { asUnavailable } from "./postgres_errors.ts";
import { StoreUnavailableError } from "./store.ts";

/** The `sql` of postgres.js (`postgres` on npm), as far as it is used here. */
export interface PostgresJsClient {
  /** Runs a text as it is. */
  unsafe(text: string, parameters?: string[], options?: { prepare?: boolean }): PostgresJsQuery;
}

/** A query of postgres.js. */
export interface PostgresJsQuery extends PromiseLike<unknown> {
  /** Resolves to rows as arrays. */
  values(): PromiseLike<unknown>;
}

/** A `Pool` of node-postgres (`pg` on npm), or a connected `Client`, as far as it is used here. */
export interface NodePostgresClient {
  /** Runs a query. */
  query(query: { text: string; values?: string[]; name?: string; rowMode?: "array" }): PromiseLike<{ rows: unknown[] }>;
  /** Hears of connections that are lost while nobody uses them. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /** Hears of them no more. */
  off?(event: "error", listener: (error: Error) => void): unknown;
}

/** A PostgreSQL client of either driver. */
export type PostgresClient = PostgresJsClient | NodePostgresClient;

/** A row: everything is asked for as text, since drivers differ in what they make of numbers. */
export type Row = (string | null)[];

/** A database, whatever the driver. */
export interface Database {
  /** Runs one statement in a transaction of its own. */
  query(text: string, parameters?: string[]): Promise<Row[]>;
  /** Runs statements that have no parameters, in one transaction. */
  script(text: string): Promise<void>;
  /** Forgets the client, which goes on to be its owner's. */
  release(): void;
}

/** Queries that may be under way; to wait for more would help nobody. */
const MAX_QUERIES = 10_000;

/** How a client is used. */
export interface ClientOptions {
  /** After how many milliseconds a query is given up. What the server makes of it is then unknown. */
  timeout: number;
  /** Whether statements are prepared. */
  prepare: boolean;
}

/**
 * Wraps a client.
 *
 * @throws {TypeError} If it is none of the two.
 */
export function openClient(client: PostgresClient, { timeout, prepare }: ClientOptions): Database {
  const driver = adapt(client, prepare);
  let underWay = 0;
  async function guarded<T>(work: () => PromiseLike<T>): Promise<T> {
    if (underWay >= MAX_QUERIES) throw new StoreUnavailableError("Too many queries wait for PostgreSQL");
    underWay++;
    try {
      return await within(timeout, work());
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      underWay--;
    }
  }
  return {
    query: (text, parameters = []) => guarded(() => driver.query(text, parameters)),
    script: (text) => guarded(() => driver.script(text)),
    release: driver.release,
  };
}

interface Driver {
  query(text: string, parameters: string[]): PromiseLike<Row[]>;
  script(text: string): PromiseLike<void>;
  release(): void;
}

/** Told by shape: to import a driver in order to ask it would make everybody install it. */
function adapt(client: PostgresClient, prepare: boolean): Driver {
  if (typeof client === "function" && "unsafe" in client) return adaptPostgresJs(client, prepare);
  if (typeof client === "object" && client !== null && "query" in client) return adaptNodePostgres(client, prepare);
  throw new TypeError("The client of a PostgreSQL store must be the sql of postgres.js or a Pool of node-postgres");
}

function adaptPostgresJs(sql: PostgresJsClient, prepare: boolean): Driver {
  return {
    // A client that was made with `prepare: false` has the last word.
    query: (text, parameters) => sql.unsafe(text, parameters, { prepare }).values() as PromiseLike<Row[]>,
    script: async (text) => void await sql.unsafe(text),
    release() {},
  };
}

function adaptNodePostgres(pool: NodePostgresClient, prepare: boolean): Driver {
  // A pool tells of connections that are lost at rest by an event, and where nobody listens that ends the process. The
  // next query is told of the loss anyway, or gets another connection.
  const listener = () => {};
  pool.on?.("error", listener);
  return {
    async query(text, values) {
      const query = { text, values, rowMode: "array" } as const;
      return (await pool.query(prepare ? { ...query, name: nameOf(text) } : query)).rows as Row[];
    },
    script: async (text) => void await pool.query({ text }),
    release: () => void pool.off?.("error", listener),
  };
}

/** node-postgres prepares what has a name, and a name must not stand for two texts, however many stores there are. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `petstore_${names.size + 1}`;
  names.set(text, name);
  return name;
}

async function within<T>(timeout: number, work: PromiseLike<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const tooLate = () => {
      const cause = new DOMException("The query timed out", "TimeoutError");
      reject(new StoreUnavailableError(`PostgreSQL has not answered within ${timeout} ms`, { cause }));
    };
    timer = setTimeout(tooLate, timeout);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
