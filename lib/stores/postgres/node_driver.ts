/** A store's statements through node-postgres. */

import { type Driver, ignore, type NodePostgresClient, type Row, settledWithin, USUAL_SIZE } from "./driver.ts";

/** For how long it is tried to cancel a statement before its connection is closed, in milliseconds. */
const CANCELLING = 1000;

/** A connection, borrowed from a pool or the only one. */
interface Connection extends Pick<NodePostgresClient, "query" | "on" | "off"> {
  /** Gives it back to the pool, which closes it if there was an error. */
  release?(error?: Error): void;
  processID?: unknown;
  secretKey?: unknown;
  connectionParameters?: unknown;
}

/** Wraps a `Pool` or a `Client` of node-postgres. */
export function nodePostgresDriver(client: NodePostgresClient, prepare: boolean): Driver {
  // A pool tells of connections that are lost at rest by an event, and where nobody listens that ends the process. The
  // next query is told of the loss anyway, or gets another connection.
  client.on?.("error", ignore);
  const { options } = client as { options?: { max?: number } };
  const isPool = client.totalCount !== undefined && client.connect !== undefined;
  const borrow = async () => (isPool ? await client.connect?.() : client) as Connection;
  return {
    // A single Client runs one at a time; whatever else has a query() may do as it likes.
    size: isPool ? options?.max ?? USUAL_SIZE : client.connect ? 1 : USUAL_SIZE,
    depth: 1,
    start(text, values) {
      const plain = { text, ...(values && { values, rowMode: "array" as const }) };
      const loan = new Loan(borrow, isPool ? options : undefined);
      return {
        done: loan.run(values && prepare ? { ...plain, name: nameOf(text) } : plain),
        giveUp: () => loan.giveUp(),
      };
    },
    release: () => void client.off?.("error", ignore),
    // It is still listened to: connections may tell of their end later.
    end: (patience) => settledWithin(patience, client.end?.() ?? Promise.resolve()),
  };
}

const GIVEN_UP = new Error("The query was given up");

/** A connection for the time of one query. */
class Loan {
  readonly #borrow: () => Promise<Connection>;
  readonly #options: unknown;
  #connection: Connection | undefined;
  #isGivenUp = false;

  /** @param options What its pool makes connections with. */
  constructor(borrow: () => Promise<Connection>, options: unknown) {
    this.#borrow = borrow;
    this.#options = options;
  }

  async run(query: Parameters<Connection["query"]>[0]): Promise<Row[]> {
    const connection = this.#connection = await this.#borrow();
    connection.on?.("error", ignore);
    try {
      if (this.#isGivenUp) return [];
      const { rows } = await connection.query(query);
      // A cancellation that comes late would hit what is run there next.
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
   * Cancels, and then closes the connection, which may be dead. In this order: where a pooler is between, it knows whom
   * to cancel only as long as the connection is there.
   */
  async giveUp(): Promise<void> {
    this.#isGivenUp = true;
    if (!this.#connection) return;
    try {
      await cancel(this.#connection, this.#options ?? this.#connection.connectionParameters);
    } catch {
      // Another version of the driver may do it in another way. To close the connection must do then.
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

/** What is used of a client that has not connected yet. */
interface Messenger {
  on(event: "error", listener: () => void): void;
  connect(): Promise<unknown>;
  connection?: {
    startup?(settings: unknown): void;
    cancel?(processId: unknown, key: unknown): void;
    stream: { destroy(): void };
  };
}

/**
 * Has the server stop what a connection runs. That takes another connection, on which a request to cancel comes in place
 * of the login; the driver makes it as it makes all, with TLS where that is wanted.
 */
async function cancel({ constructor, processID, secretKey }: Connection, options: unknown): Promise<void> {
  if (typeof processID !== "number" || options === undefined) return;
  const messenger = new (constructor as new (options: unknown) => Messenger)(options);
  const { connection } = messenger;
  if (!connection?.startup || !connection.cancel) return;
  messenger.on("error", ignore);
  connection.startup = () => connection.cancel?.(processID, secretKey);
  // The server closes it without an answer, which the driver takes for a failure.
  await settledWithin(CANCELLING, messenger.connect());
  connection.stream.destroy();
}

/** node-postgres prepares what has a name, and a name must not stand for two texts, however many stores there are. */
const names = new Map<string, string>();

/** Tells the names of this copy of the library from those of another one on the same pool. */
let prefix: string | undefined;

function nameOf(text: string): string {
  prefix ??= `petstore_${crypto.randomUUID().slice(0, 8)}`;
  const name = names.get(text) ?? `${prefix}_${names.size + 1}`;
  names.set(text, name);
  return name;
}
