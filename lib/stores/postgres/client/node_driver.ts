import {
  DEFAULT_SIZE,
  type Driver,
  ignore,
  type NodePostgresClient,
  requireWhole,
  type Row,
  settledWithin,
} from "./driver.ts";

interface Result {
  rows: Row[];
  command: string;
  rowCount: number | null;
  fields: readonly unknown[];
}

interface Connection {
  query(query: { text: string; values?: string[]; name?: string; rowMode?: "array" }): PromiseLike<Result>;
  on(event: "error", listener: () => void): void;
  off(event: "error", listener: () => void): void;
  /** Returns it to the pool, which closes it if there was an error. */
  release(error?: Error): void;
  processID?: number;
  connection?: { stream?: Stream };
}

type OnData = (chunk: unknown) => void;

interface Stream {
  listeners(event: "data"): OnData[];
  on(event: "data", listener: OnData): Stream;
  off(event: "data", listener: OnData): Stream;
  destroy(error: Error): void;
}

interface ConnectEvents {
  on?(event: "connect", listener: (connection: Connection) => void): unknown;
  off?(event: "connect", listener: (connection: Connection) => void): unknown;
}

function listen(connection: Connection): void {
  connection.on("error", ignore);
  const { stream } = connection.connection ?? {};
  const [parse, ...others] = stream?.listeners("data") ?? [];
  if (!stream || !parse || others.length > 0) return;
  // In 8.23, a message that cannot be read would end the process. PgBouncer sends one when its own connection ends within a message.
  stream.off("data", parse).on("data", (chunk) => {
    try {
      parse(chunk);
    } catch (error) {
      stream.destroy(error as Error);
    }
  });
}

const GIVEN_UP = new Error("The query was given up");

/** A `Client` lacks the count: on its single connection, creates would join the app's own transactions. */
export function isPool(client: unknown): client is NodePostgresClient {
  return typeof client === "object" && client !== null && "connect" in client && "totalCount" in client;
}

export function nodePostgresDriver(pool: NodePostgresClient, prepare: boolean): Driver {
  // Without a listener, the loss of a connection that is idle or new would end the process.
  pool.on?.("error", ignore);
  const events: ConnectEvents = pool as object;
  events.on?.("connect", listen);
  return {
    size: pool.options?.max ?? DEFAULT_SIZE,
    depth: 1,
    start(text, values) {
      let connection: Connection | undefined;
      let isGivenUp = false, isSent = false;
      function giveBack(error?: Error): void {
        connection?.release(error);
        connection?.off("error", ignore);
        connection = undefined;
      }
      async function run(): Promise<Row[]> {
        const taken = connection = await pool.connect() as Connection;
        taken.on("error", ignore);
        try {
          if (isGivenUp) return [];
          isSent = true;
          const { rows, command, rowCount, fields } = await taken.query({
            text,
            ...(values && { values, rowMode: "array" }),
            ...(values && prepare && { name: nameOf(text) }),
          });
          return values ? requireWhole(rows, { command, count: rowCount, columns: fields }) : [];
        } catch (error) {
          giveBack(error as Error);
          throw error;
        } finally {
          giveBack();
        }
      }
      return {
        done: run(),
        giveUp() {
          isGivenUp = true;
          // It may be dead, and a late cancellation would hit its next query.
          giveBack(GIVEN_UP);
          return false;
        },
        wasSent: () => isSent,
        process: () => connection?.processID,
      };
    },
    release() {
      pool.off?.("error", ignore);
      events.off?.("connect", listen);
    },
    // The listener stays, because connections may still report errors later.
    end: (timeoutMs) => settledWithin(timeoutMs, pool.end?.() ?? Promise.resolve()),
  };
}

/** A query with a name is prepared. All stores of the process must use one name for a text. */
const names = new Map<string, string>();

/** Distinguishes the names from those of another copy of this library on the same pool. */
let prefix: string | undefined;

function nameOf(text: string): string {
  prefix ??= `petstore_${crypto.randomUUID().slice(0, 8)}`;
  const name = names.get(text) ?? `${prefix}_${names.size + 1}`;
  names.set(text, name);
  return name;
}
