/** The pool of node-postgres that an app gives to a store, and one statement on one of its connections. */

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
}

/**
 * @throws {TypeError} If it is no pool. On the single connection of a `Client`, creates would join
 * the app's own transactions.
 */
export function requirePool(pool: PostgresPool): void {
  if (typeof pool === "object" && pool !== null && "connect" in pool && "totalCount" in pool) return;
  throw new TypeError(
    "A PostgreSQL store takes a Pool of node-postgres (pg), not a Client, an address or another object",
  );
}

/** How many connections a pool of node-postgres has by default. */
const DEFAULT_SIZE = 10;

/** How many connections a pool may open. */
export function maxConnectionsOf(pool: PostgresPool): number {
  return pool.options?.max ?? DEFAULT_SIZE;
}

/** The value of a parameter, as text. */
export type Parameter = string | null;

/** All columns are text, so that no number is rounded. */
export type Row = (string | null)[];

/** A connection of node-postgres that was taken out of the pool. */
export interface Connection {
  /** If the text has several statements, there is a result of each. */
  query(query: Query): PromiseLike<{ rows: Row[] } | unknown[]>;
  /** Gives the connection back to the pool. With an error, the pool closes it. */
  release(error?: Error): void;
  /** The number of the process in PostgreSQL that serves this connection. A pooler shows another number, or none. */
  processID?: number | null;
  /**
   * What the server said of the transaction after the last statement: `I` if none is open. Older
   * versions of pg lack this method.
   */
  getTransactionStatus?(): string | null;
}

interface Query {
  text: string;
  values: readonly Parameter[];
  /** The name of the prepared statement; undefined if it is not to be prepared. */
  name: string | undefined;
  rowMode: "array";
  types: typeof TEXTS;
}

/**
 * Leaves each value of a result as PostgreSQL has sent it, whatever parsers an app has set for its
 * own statements, even for texts.
 */
const TEXTS = { getTypeParser: () => String };

/**
 * Runs a statement in a transaction of its own.
 *
 * @param text A text without parameters is not prepared, and may contain several statements, which
 * give no rows.
 * @throws {Error} If the statement failed, or was not committed.
 */
export async function runStatement(
  connection: Connection,
  text: string,
  values: readonly Parameter[],
  prepare: boolean,
): Promise<Row[]> {
  const name = prepare && values.length > 0 ? statementName(text) : undefined;
  const result = await connection.query({ text, values, name, rowMode: "array", types: TEXTS });
  requireCommitted(connection);
  return "rows" in result ? result.rows : [];
}

/**
 * An app that shares the pool may have left a transaction open on a connection. What a statement
 * has written there would end with it.
 *
 * @throws {Error} If a transaction is open, or the connection cannot say so. As a store reads from
 * the database when it is opened, it is never opened on a pool whose connections cannot say so.
 */
function requireCommitted(connection: Connection): void {
  const status = connection.getTransactionStatus?.();
  if (status === "I") return;
  throw new Error(
    status
      ? "the connection is in a transaction that another user of the pool has left open"
      : "the pool does not say whether a transaction is open; it must be of pg 8.23 or later",
  );
}

/** The names of the prepared statements, by their texts. All stores of the process must use one name for a text. */
const statementNames = new Map<string, string>();

/**
 * The beginning of all names, made at the first use. It differs in each process and each copy of
 * this library: behind a pooler that does not know prepared statements, a name of another process
 * would run another statement.
 */
let namePrefix: string | undefined;

/** Returns the name under which a statement is prepared. */
function statementName(text: string): string {
  namePrefix ??= `petstore_${crypto.randomUUID().slice(0, 8)}`;
  const name = statementNames.get(text) ?? `${namePrefix}_${statementNames.size + 1}`;
  statementNames.set(text, name);
  return name;
}
