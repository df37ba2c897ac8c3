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
}

/** The value of a parameter, as text. */
export type Parameter = string | null;

/** All columns are text, so that no number is rounded. */
export type Row = (string | null)[];

interface Query {
  text: string;
  values: readonly Parameter[];
  name: string | undefined;
  rowMode: "array";
  types: typeof TEXTS;
}

/** A connection of node-postgres that was taken out of the pool. */
export interface Connection {
  /** If the text has several statements, there is a result of each. */
  query(query: Query): PromiseLike<{ rows: Row[] } | unknown[]>;
  on(event: "error", listener: (error: Error) => void): void;
  listeners(event: "error"): unknown[];
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
 * The class of a pool's connections, and the event for each connection that is taken out. {@link PostgresPool} lacks both, so that an app
 * need not provide more than it must.
 */
interface ConnectingPool {
  Client?: new (options: unknown) => Connection;
  on?(event: "acquire", listener: (connection: Connection) => void): unknown;
}

/** Leaves each value of a result as PostgreSQL has sent it, whatever parsers an app has set for its own statements, even for texts. */
const TEXTS = { getTypeParser: () => String };

/** How many connections a pool of node-postgres has by default. */
const DEFAULT_SIZE = 10;

export function ignore(): void {}

/** @throws {TypeError} If it is no pool. On the single connection of a `Client`, creates would join the app's own transactions. */
export function requirePool(pool: PostgresPool): void {
  if (typeof pool === "object" && pool !== null && "connect" in pool && "totalCount" in pool) return;
  throw new TypeError(
    "A PostgreSQL store takes a Pool of node-postgres (pg), not a Client, an address or another object",
  );
}

/** How many connections a pool may open. */
export function sizeOf(pool: PostgresPool): number {
  return pool.options?.max ?? DEFAULT_SIZE;
}

const guardedPools = new WeakSet<object>();

/**
 * Keeps what happens to a connection from ending the process. Without a listener, a lost connection would do so, whether it is idle in the
 * pool or taken out. The guards stay with the pool, and several stores share them.
 */
export function guardPool(pool: PostgresPool): void {
  if (guardedPools.has(pool)) return;
  guardedPools.add(pool);
  pool.on?.("error", ignore);
  const connecting: ConnectingPool = pool as object;
  connecting.on?.("acquire", (connection) => {
    if (!connection.listeners("error").includes(ignore)) connection.on("error", ignore);
  });
  const { Client } = connecting;
  if (!Client) return;
  connecting.Client = class extends Client {
    constructor(options: unknown) {
      super(options);
      guardParser(this);
    }
  };
}

/**
 * Lets a message that cannot be read end only its connection. In node-postgres 8.23, it would end the process. PgBouncer sends such a
 * message when its own connection ends within one, and PostgreSQL when it demands a login that the driver does not know, such as GSSAPI.
 */
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
 * Runs a statement in a transaction of its own.
 *
 * @param text A text without parameters may contain several statements, and then there are no rows.
 * @param name The name of the prepared statement; `undefined` if it is not to be prepared.
 * @throws {Error} If the statement failed, or was not committed.
 */
export async function runStatement(
  connection: Connection,
  text: string,
  parameters: readonly Parameter[],
  name: string | undefined,
): Promise<Row[]> {
  const result = await connection.query({ text, values: parameters, name, rowMode: "array", types: TEXTS });
  requireCommitted(connection);
  return "rows" in result ? result.rows : [];
}

/**
 * An app that shares the pool may have left a transaction open on a connection. What a statement has written there would end with it.
 *
 * @throws {Error} If a transaction is open, or the connection cannot say so. As a store reads from the database when it is opened, it is
 * never opened on a pool whose connections cannot say so.
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

/** The beginning of all names, made at the first use. It distinguishes them from those of another copy of this library on the same pool. */
let namePrefix: string | undefined;

/** Returns the name under which a statement is prepared. */
export function statementName(text: string): string {
  namePrefix ??= `petstore_${crypto.randomUUID().slice(0, 8)}`;
  const name = statementNames.get(text) ?? `${namePrefix}_${statementNames.size + 1}`;
  statementNames.set(text, name);
  return name;
}
