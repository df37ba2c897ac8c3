/** What is used of a PostgreSQL client, and what the store makes of it, whichever driver it is of. */

/** The `sql` of postgres.js (`postgres` on npm), as far as it is used here. */
export interface PostgresJsClient {
  /** Runs a text as it is. */
  unsafe(text: string, parameters?: string[], options?: { prepare?: boolean }): PostgresJsQuery;
  /** Tells how many connections it may have. */
  readonly options?: { readonly max?: number | undefined };
  /** Closes its connections, those in use too after so many seconds. */
  end?(options?: { timeout?: number }): PromiseLike<unknown>;
}

/** A query of postgres.js. */
export interface PostgresJsQuery extends PromiseLike<unknown> {
  /** Resolves to rows as arrays. */
  values(): PromiseLike<unknown>;
}

/** A `Pool` of node-postgres (`pg` on npm), as far as it is used here. */
export interface NodePostgresClient {
  /** Runs a query. */
  query(query: { text: string; values?: string[]; name?: string; rowMode?: "array" }): PromiseLike<{ rows: unknown[] }>;
  /** Lends a connection, which a `Pool` does. */
  connect?(): PromiseLike<unknown>;
  /** How many connections there are: a `Pool` is told by it. */
  readonly totalCount?: number;
  /** Hears of connections that are lost while nobody uses them. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /** Hears of them no more. */
  off?(event: "error", listener: (error: Error) => void): unknown;
  /** Closes it. */
  end?(): PromiseLike<unknown>;
}

/** A PostgreSQL client of either driver. */
export type PostgresClient = PostgresJsClient | NodePostgresClient;

/** A row: everything is asked for as text, since drivers differ in what they make of numbers. */
export type Row = (string | null)[];

/** A statement that a driver has been given. */
export interface Running {
  /** Settles when the driver has done with it, which may be long after it was given up. */
  done: Promise<Row[]>;
  /** Has the statement ended as far as the driver can: it is not sent, or cancelled, or its connection is closed. */
  giveUp(): void;
}

/** A client, whatever the driver. */
export interface Driver {
  /** How many connections it has for statements. */
  size: number;
  /** How many statements may be sent on a connection before the first is answered. */
  depth: number;
  /**
   * Runs one statement in a transaction of its own; without parameters there may be several.
   *
   * @param isWrite Whether it writes. Then no cancellation that was meant for another statement may reach it.
   */
  start(text: string, parameters: string[] | undefined, isWrite: boolean): Running;
  /** Forgets the client, which goes on to be its owner's. */
  release(): void;
  /** Closes the client; what it still runs may take so many milliseconds. */
  end(patience: number): Promise<void>;
}

/** The connections of a client that does not say how many it may have: what both drivers take unless told otherwise. */
export const USUAL_SIZE = 10;

/** Ignores what somebody must listen to. */
export function ignore(): void {}

/** Waits for a promise, whatever becomes of it, but no longer than so many milliseconds. */
export async function settledWithin(time: number, promise: PromiseLike<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, time));
  try {
    await Promise.race([promise, late]);
  } catch {
    // It is over, which is all that was asked.
  } finally {
    clearTimeout(timer);
  }
}
