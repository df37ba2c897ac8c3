/** The pool of node-postgres, and one statement on a connection of it. */

/** The members of a `Pool` of node-postgres that the store uses. */
export interface PostgresPool {
  /** Takes a connection out of the pool. */
  connect(): PromiseLike<unknown>;
  /** The number of connections. */
  readonly totalCount: number;
  /** `max` is the largest number of connections. */
  readonly options?: { readonly max?: number | undefined };
  /** Adds a listener. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /** Removes a listener. */
  off?(event: "error", listener: (error: Error) => void): unknown;
}

/** All columns are text, so that no number is rounded. */
export type Row = (string | null)[];

interface Result {
  rows: Row[];
  command: string;
  rowCount: number | null;
  fields: readonly unknown[];
}

interface Query {
  text: string;
  values?: readonly string[];
  name?: string;
  rowMode?: "array";
  types?: typeof TEXTS;
  /** The time limit in milliseconds, after which the connection can only be closed. Default: that of the pool, usually none. */
  query_timeout?: number;
}

/** A connection of node-postgres that was taken out of the pool. */
export interface Connection {
  query(query: Query): PromiseLike<Result>;
  on(event: "error", listener: (error: Error) => void): void;
  off(event: "error", listener: (error: Error) => void): void;
  /** Returns the connection to the pool, which closes it if there was an error. */
  release(error?: Error): void;
  /** The number of the process in PostgreSQL that serves this connection. A pooler shows another number. */
  processID?: number;
  /** What the server said of the transaction after the last statement: `I` if none is open. Older versions of pg lack this method. */
  getTransactionStatus?(): string | null;
  /** The internals of node-postgres, which may change. This method lets the parser of messages listen to the stream. */
  connection?: { attachListeners?(stream: Stream): void };
}

type OnData = (chunk: unknown) => void;

interface Stream {
  listeners(event: "data"): OnData[];
  on(event: "data", listener: OnData): Stream;
  off(event: "data", listener: OnData): Stream;
  destroy(error: Error): void;
}

/**
 * The class of a pool's connections, and the event for each new one. {@link PostgresPool} lacks both, so that an app need not provide more
 * than it must.
 */
interface ConnectingPool {
  Client?: new (options: unknown) => Connection;
  on?(event: "connect", listener: (connection: Connection) => void): unknown;
  off?(event: "connect", listener: (connection: Connection) => void): unknown;
}

/** A result that the statement cannot have. Its connection must not be used any more. */
export class BrokenResultError extends Error {}

/** Leaves each value of a result as PostgreSQL has sent it, whatever parsers an app has set for its own statements, even for texts. */
export const TEXTS = { getTypeParser: () => String };

/** How many connections a pool of node-postgres has by default. */
const DEFAULT_SIZE = 10;

export function ignore(): void {}

/** @throws {TypeError} If it is no pool. On the single connection of a `Client`, creates would join the app's own transactions. */
export function requirePool(pool: PostgresPool): void {
  if (typeof pool === "object" && pool !== null && "connect" in pool && "totalCount" in pool) return;
  throw new TypeError(`A PostgreSQL store takes a Pool of node-postgres (pg), not ${kindOf(pool)}`);
}

/** How many stores watch each pool. A pool has one set of listeners for all of them: Node warns of more than ten. */
const watchers = new WeakMap<object, number>();

/**
 * Keeps a lost connection from ending the process, until {@link unwatchPool} is called as often: a pool without a listener throws the error
 * of an idle connection.
 */
export function watchPool(pool: PostgresPool): void {
  const others = watchers.get(pool) ?? 0;
  watchers.set(pool, others + 1);
  if (others > 0) return;
  pool.on?.("error", ignore);
  connectingPool(pool).on?.("connect", ignoreErrors);
  guardParsers(connectingPool(pool));
}

/** Ends what {@link watchPool} began, except for the guards of parsers, which stay with the pool. */
export function unwatchPool(pool: PostgresPool): void {
  const others = (watchers.get(pool) ?? 1) - 1;
  watchers.set(pool, others);
  if (others > 0) return;
  pool.off?.("error", ignore);
  connectingPool(pool).off?.("connect", ignoreErrors);
}

function connectingPool(pool: object): ConnectingPool {
  return pool;
}

function ignoreErrors(connection: Connection): void {
  connection.on("error", ignore);
}

/** Says what was given in place of a pool, for a message. */
function kindOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return value == null ? String(value) : `a ${typeof value}`;
  if ("then" in value) return "a promise";
  return "processID" in value ? "a Client" : "another object";
}

/** How many connections a pool may open. */
export function sizeOf(pool: PostgresPool): number {
  return pool.options?.max ?? DEFAULT_SIZE;
}

/** The pools whose connections have a guarded parser. */
const guardedPools = new WeakSet<object>();

/**
 * Lets a message that cannot be read end only its connection. In node-postgres 8.23, it would end the process. PgBouncer sends such a
 * message when its own connection ends within one, and PostgreSQL when it demands a login that the driver does not know, such as GSSAPI.
 */
function guardParsers(pool: ConnectingPool): void {
  const { Client } = pool;
  if (typeof Client !== "function" || guardedPools.has(pool)) return;
  guardedPools.add(pool);
  pool.Client = class extends Client {
    constructor(options: unknown) {
      super(options);
      guardParser(this);
    }
  };
}

function guardParser({ connection }: Connection): void {
  const attach = connection?.attachListeners;
  if (!connection || !attach) return;
  connection.attachListeners = (stream) => {
    attach.call(connection, stream);
    const [parse, ...others] = stream.listeners("data");
    // Another version of node-postgres, in which the parser is not the only listener, is left as it is.
    if (!parse || others.length > 0) return;
    stream.off("data", parse).on("data", (chunk) => {
      try {
        parse(chunk);
      } catch (error) {
        stream.destroy(error as Error);
      }
    });
  };
}

/**
 * Runs a statement. With parameters, it runs in a transaction of its own.
 *
 * @param parameters The values of the parameters. If this is `null`, `text` may contain several statements, and there are no rows.
 * @param name The name of the prepared statement; `undefined` if it is not to be prepared.
 * @throws {BrokenResultError} If rows are missing or left over, one lacks a column, or the statement was not committed.
 */
export async function runStatement(
  connection: Connection,
  text: string,
  parameters: readonly string[] | null,
  name: string | undefined,
): Promise<Row[]> {
  if (parameters === null) {
    await connection.query({ text });
    return [];
  }
  const query = { text, values: parameters, rowMode: "array" as const, types: TEXTS };
  const { rows, command, rowCount, fields } = await connection.query(name === undefined ? query : { ...query, name });
  requireCommitted(connection);
  requireColumns(rows, fields.length);
  // The end of a result says how many rows there were. For other commands than SELECT, it counts the rows that were changed.
  const expected = command === "SELECT" ? rowCount : 0;
  if (rows.length === expected) return rows;
  throw new BrokenResultError(`the result has ${rows.length} rows, and its end says ${command} ${rowCount}`);
}

/**
 * An app that shares the pool may have left a transaction open on a connection. What a statement has written there would end with it.
 *
 * @throws {BrokenResultError} If a transaction is open, or the connection cannot say so. As a store reads from the database when it is
 * opened, it is never opened on a pool whose connections cannot say so.
 */
function requireCommitted(connection: Connection): void {
  const status = connection.getTransactionStatus?.();
  if (status === "I") return;
  throw new BrokenResultError(
    status
      ? "the connection is in a transaction that another user of the pool has left open"
      : "the pool does not say whether a transaction is open; it must be of pg 8.23 or later",
  );
}

/** @throws {BrokenResultError} If a row has another number of columns, or is missing. */
export function requireColumns(rows: readonly Row[], columns: number): void {
  // This is a loop, because `every()` would skip the place of a missing row.
  for (const row of rows) if (row?.length !== columns) throw new BrokenResultError("a row of the result is incomplete");
}

/** The names of the prepared statements, by their texts. All stores of the process must use one name for a text. */
const statementNames = new Map<string, string>();

/** The beginning of all names, made at the first use. It distinguishes them from those of another copy of this library on the same pool. */
let namePrefix: string | undefined;

/** Returns the name under which a statement is prepared. */
export function statementName(text: string): string {
  namePrefix ??= `petstore_${crypto.randomUUID().slice(0, 8)}`;
  const name = statementNames.get(text) ?? `${namePrefix}_${statementNames.size + 1}`;
  statementNames.set(text, name);
  return name;
}
