/**
 * What keeps node-postgres 8.23 from ending the process when something happens to a connection. A
 * pool is guarded once, and several stores may share it. The file can go with the first version of
 * node-postgres on which `tests/faults` passes without it.
 */

import type { PostgresPool } from "./connection.ts";

const guardedPools = new WeakSet<object>();

/**
 * Guards a pool against the loss of connections, whether they are idle or taken out, and against
 * messages that cannot be read.
 */
export function guardPool(pool: PostgresPool): void {
  if (guardedPools.has(pool)) return;
  guardedPools.add(pool);
  pool.on?.("error", ignoreError);
  const connecting: ConnectingPool = pool as object;
  ignoreErrorsOfTaken(connecting);
  guardParsers(connecting);
}

/** Listens to an error event, which ends the process if nothing listens. */
export function ignoreError(): void {}

/**
 * The class of a pool's connections, and the event for each connection that is taken out.
 * {@link PostgresPool} lacks both, so that an app need not provide more than it must.
 */
interface ConnectingPool {
  Client?: new (options: unknown) => Client;
  on?(event: "acquire", listener: (connection: Listened) => void): unknown;
}

interface Listened {
  on(event: "error", listener: () => void): unknown;
  off(event: "error", listener: () => void): unknown;
}

/**
 * Listens to the errors of connections that are taken out. After `connect()` it is too late: the
 * chunk that makes a connection ready may also say that PostgreSQL ends it.
 */
function ignoreErrorsOfTaken(pool: ConnectingPool): void {
  pool.on?.("acquire", (connection) => {
    // The pool gives the same connection again, with the listener.
    connection.off("error", ignoreError);
    connection.on("error", ignoreError);
  });
}

/**
 * Lets a message that cannot be read end only its connection. PgBouncer sends such a message when
 * its own connection ends within one, and PostgreSQL when it demands a login that the driver does
 * not know, such as GSSAPI. The driver's parser would throw out of the listener of the socket.
 */
function guardParsers(pool: ConnectingPool): void {
  const { Client } = pool;
  if (!Client) return;
  pool.Client = class extends Client {
    constructor(options: unknown) {
      super(options);
      guardParser(this);
    }
  };
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

/** Replaces the parser's listener by one that ends the connection if the parser throws. */
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
