/** Keeps what happens to the connections of a pool from ending the process. Without this, node-postgres 8.23 lets it end. */

import type { PostgresPool } from "./pool.ts";

/**
 * What this file uses of a pool beyond {@link PostgresPool}: the class of its connections, and the event for each connection that is taken
 * out. An app's own pool may lack both.
 */
interface GuardedPool {
  Client?: new (options: unknown) => Client;
  on?(event: "acquire", listener: (client: Client) => void): unknown;
}

interface Client {
  on(event: "error", listener: (error: Error) => void): void;
  listeners(event: "error"): unknown[];
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

const guardedPools = new WeakSet<object>();

/** The listener of errors. It has a name, so that a connection that is taken out again does not get it twice. */
function ignore(): void {}

/**
 * Guards a pool against lost connections, idle or in use, and against messages that cannot be read. The guards stay with the pool, and
 * several stores share them.
 */
export function guardPool(pool: PostgresPool): void {
  if (guardedPools.has(pool)) return;
  guardedPools.add(pool);
  // An error event without a listener ends the process. The pool reports that of an idle connection, and a connection in use its own.
  pool.on?.("error", ignore);
  const guarded: GuardedPool = pool as object;
  guarded.on?.("acquire", (client) => {
    if (!client.listeners("error").includes(ignore)) client.on("error", ignore);
  });
  if (guarded.Client) guarded.Client = withGuardedParser(guarded.Client);
}

function withGuardedParser(Client: NonNullable<GuardedPool["Client"]>): typeof Client {
  return class extends Client {
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
