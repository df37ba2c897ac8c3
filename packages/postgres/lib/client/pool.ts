/**
 * The pool of node-postgres that an app gives to a store, and the guard that keeps what happens to its connections from ending the process.
 * Without the guard, node-postgres 8.23 lets it end.
 */

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

/** @throws {TypeError} If it is no pool. On the single connection of a `Client`, creates would join the app's own transactions. */
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

/**
 * The class of a pool's connections, and the event for each connection that is taken out. {@link PostgresPool} lacks both, so that an app
 * need not provide more than it must.
 */
interface ConnectingPool {
  Client?: new (options: unknown) => Client;
  on?(event: "acquire", listener: (connection: Listened) => void): unknown;
}

interface Listened {
  on(event: "error", listener: () => void): unknown;
  off(event: "error", listener: () => void): unknown;
}

/** The internals of node-postgres, which may change. The method lets the parser of messages listen to the stream. */
interface Client {
  connection?: { attachListeners?(stream: Stream): void };
}

type OnData = (chunk: unknown) => void;

interface Stream {
  listeners(event: "data"): OnData[];
  on(event: "data", listener: OnData): Stream;
  off(event: "data", listener: OnData): Stream;
  destroy(error: Error): void;
}

/** Listens to an error event, which ends the process if nothing listens. */
export function ignoreError(): void {}

const guardedPools = new WeakSet<object>();

/**
 * Guards a pool against the loss of connections, whether they are idle or taken out, and against messages that cannot be read. The guards
 * stay with the pool, and several stores share them.
 */
export function guardPool(pool: PostgresPool): void {
  if (guardedPools.has(pool)) return;
  guardedPools.add(pool);
  pool.on?.("error", ignoreError);
  const connecting: ConnectingPool = pool as object;
  // After `connect()` it is too late to listen: the chunk that makes a connection ready may also say that PostgreSQL ends it.
  connecting.on?.("acquire", (connection) => {
    // The pool gives the same connection again, with the listener.
    connection.off("error", ignoreError);
    connection.on("error", ignoreError);
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
 * Lets a message that cannot be read end only its connection. PgBouncer sends such a message when its own connection ends within one, and
 * PostgreSQL when it demands a login that the driver does not know, such as GSSAPI.
 */
function guardParser({ connection }: Client): void {
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
