/** Runs statements through node-postgres. */

import { DEFAULT_SIZE, type Driver, ignore, type NodePostgresClient, type Row, settledWithin } from "./driver.ts";

/** The time limit of a cancellation, in milliseconds. After it, the connection is closed. */
const CANCEL_TIMEOUT = 1000;

/** A connection that was checked out of a pool, or the client itself. */
interface Connection extends Pick<NodePostgresClient, "query" | "on" | "off"> {
  /** Returns it to the pool, which closes it if there was an error. */
  release?(error?: Error): void;
  processID?: unknown;
  secretKey?: unknown;
  connectionParameters?: unknown;
}

/** Wraps a `Pool` of node-postgres, or another object with its `query()`. */
export function nodePostgresDriver(client: NodePostgresClient, prepare: boolean): Driver {
  // Without a listener, the loss of an idle connection would end the process. Nothing else needs to be done, because the
  // next query gets another connection or fails.
  client.on?.("error", ignore);
  const { options } = client as { options?: { max?: number } };
  const isPool = client.totalCount !== undefined && client.connect !== undefined;
  const connect = async () => (isPool ? await client.connect?.() : client) as Connection;
  return {
    // A client that can connect, but is not a pool, runs one query at a time.
    size: isPool ? options?.max ?? DEFAULT_SIZE : client.connect ? 1 : DEFAULT_SIZE,
    depth: 1,
    start(text, values) {
      const plain = { text, ...(values && { values, rowMode: "array" as const }) };
      const checkout = new Checkout(connect, isPool ? options : undefined);
      return {
        done: checkout.run(values && prepare ? { ...plain, name: nameOf(text) } : plain),
        giveUp: (mayCancel) => checkout.giveUp(mayCancel),
        process: () => checkout.process,
      };
    },
    release: () => void client.off?.("error", ignore),
    // The listener stays, because connections may still report errors later.
    end: (timeoutMs) => settledWithin(timeoutMs, client.end?.() ?? Promise.resolve()),
  };
}

const GIVEN_UP = new Error("The query was given up");

/** A connection, checked out for one query. */
class Checkout {
  readonly #connect: () => Promise<Connection>;
  readonly #options: unknown;
  #connection: Connection | undefined;
  #isGivenUp = false;

  /** @param options The settings with which the pool creates connections. */
  constructor(connect: () => Promise<Connection>, options: unknown) {
    this.#connect = connect;
    this.#options = options;
  }

  get process(): number | undefined {
    const process = this.#connection?.processID;
    return typeof process === "number" ? process : undefined;
  }

  async run(query: Parameters<Connection["query"]>[0]): Promise<Row[]> {
    const connection = this.#connection = await this.#connect();
    connection.on?.("error", ignore);
    try {
      if (this.#isGivenUp) return [];
      const { rows } = await connection.query(query);
      // A connection that was given up is closed, because a late cancellation would hit its next query.
      this.#return(this.#isGivenUp ? GIVEN_UP : undefined);
      return rows as Row[];
    } catch (error) {
      this.#return(error as Error);
      throw error;
    } finally {
      this.#return();
    }
  }

  /**
   * Cancels the query if it may be, then closes the connection, which may be dead. The cancellation comes first, because a
   * pooler can forward it only while the connection exists.
   */
  async giveUp(mayCancel: boolean): Promise<void> {
    this.#isGivenUp = true;
    if (!this.#connection) return;
    try {
      if (mayCancel) await cancel(this.#connection, this.#options ?? this.#connection.connectionParameters);
    } catch {
      // Other versions of the driver may cancel differently. Then only the connection is closed.
    } finally {
      this.#return(GIVEN_UP);
    }
  }

  #return(error?: Error): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#connection = undefined;
    connection.release?.(error);
    connection.off?.("error", ignore);
  }
}

/** The members of an unconnected node-postgres client that {@link cancel} uses. */
interface CancelClient {
  on(event: "error", listener: () => void): void;
  connect(): Promise<unknown>;
  connection?: {
    startup?(settings: unknown): void;
    cancel?(processId: unknown, key: unknown): void;
    stream: { destroy(): void };
  };
}

/**
 * Asks the server to stop the query that a connection is running. This needs a new connection, on which the cancel request
 * replaces the login. The driver opens it as usual, with TLS if configured.
 */
async function cancel({ constructor, processID, secretKey }: Connection, options: unknown): Promise<void> {
  if (typeof processID !== "number" || options === undefined) return;
  const client = new (constructor as new (options: unknown) => CancelClient)(options);
  const { connection } = client;
  if (!connection?.startup || !connection.cancel) return;
  client.on("error", ignore);
  connection.startup = () => connection.cancel?.(processID, secretKey);
  // The server closes the connection without a response, which the driver reports as a failure.
  await settledWithin(CANCEL_TIMEOUT, client.connect());
  connection.stream.destroy();
}

/** Names by text. node-postgres prepares a query with a name. All stores of the process must use a name for the same text. */
const names = new Map<string, string>();

/** Distinguishes the names from those of another copy of this library on the same pool. */
let prefix: string | undefined;

function nameOf(text: string): string {
  prefix ??= `petstore_${crypto.randomUUID().slice(0, 8)}`;
  const name = names.get(text) ?? `${prefix}_${names.size + 1}`;
  names.set(text, name);
  return name;
}
