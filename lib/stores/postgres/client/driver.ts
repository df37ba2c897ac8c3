/** What the store needs of a PostgreSQL client, and the one interface that it gives to both drivers. */

/** The `sql` of postgres.js (`postgres` on npm): the members that the store uses. */
export interface PostgresJsClient {
  /** Runs a text as a statement. */
  unsafe(text: string, parameters?: string[], options?: { prepare?: boolean }): PostgresJsQuery;
  /** `max` is the largest number of connections. */
  readonly options?: { readonly max?: number | undefined };
  /** Closes all connections. Those in use get `timeout` seconds to finish. */
  end?(options?: { timeout?: number }): PromiseLike<unknown>;
}

/** A query of postgres.js. */
export interface PostgresJsQuery extends PromiseLike<unknown> {
  /** Resolves to rows as arrays. */
  values(): PromiseLike<unknown>;
}

/** A `Pool` of node-postgres (`pg` on npm): the members that the store uses. */
export interface NodePostgresClient {
  /** Runs a query. */
  query(query: { text: string; values?: string[]; name?: string; rowMode?: "array" }): PromiseLike<{ rows: unknown[] }>;
  /** Borrows a connection from the pool. */
  connect?(): PromiseLike<unknown>;
  /** The number of connections. Only a `Pool` has it. */
  readonly totalCount?: number;
  /** Listens for the loss of idle connections. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /** Stops listening. */
  off?(event: "error", listener: (error: Error) => void): unknown;
  /** Closes the pool. */
  end?(): PromiseLike<unknown>;
}

/** A PostgreSQL client of either driver. */
export type PostgresClient = PostgresJsClient | NodePostgresClient;

/** A row. All columns are text, because the drivers parse numbers differently. */
export type Row = (string | null)[];

/** A statement that a driver is running. */
export interface Running {
  /** Settles when the driver has finished with it, which may be long after {@link giveUp}. */
  done: Promise<Row[]>;
  /** Ends the statement as far as the driver can: it is not sent, it is cancelled, or its connection is closed. */
  giveUp(): void;
}

/** A client of either driver, behind one interface. */
export interface Driver {
  /** The number of connections for statements. */
  size: number;
  /** How many statements may be sent on a connection before the first is answered. */
  depth: number;
  /**
   * Runs a statement in a transaction of its own. Without parameters, `text` may contain several statements.
   *
   * @param isWrite Whether it writes. If so, a cancellation of another statement must not be able to reach it.
   */
  start(text: string, parameters: string[] | undefined, isWrite: boolean): Running;
  /** Stops using the client, which stays open for its owner. */
  release(): void;
  /** Closes the client. Running statements get `patience` milliseconds to finish. */
  end(patience: number): Promise<void>;
}

/** The default number of connections in both drivers, for a client that does not say. */
export const DEFAULT_SIZE = 10;

/** A listener for errors that are reported elsewhere too. */
export function ignore(): void {}

/** Waits until a promise settles, but at most `time` milliseconds. Never rejects. */
export async function settledWithin(time: number, promise: PromiseLike<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, time));
  try {
    await Promise.race([promise, late]);
  } catch {
    // A rejection counts as settled.
  } finally {
    clearTimeout(timer);
  }
}
