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

/** A connection that was taken out of the pool. */
export interface Connection {
  query(query: { text: string; values?: readonly string[]; name?: string; rowMode?: "array" }): PromiseLike<Result>;
  on(event: "error", listener: () => void): void;
  off(event: "error", listener: () => void): void;
  /** Returns it to the pool, which closes it if there was an error. */
  release(error?: Error): void;
  /** The process of PostgreSQL. A pooler shows another number. */
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

/** A result that the statement cannot have. Its connection must not be used any more. */
export class BrokenResultError extends Error {}

/** How many connections a pool of node-postgres has by default. */
const DEFAULT_SIZE = 10;

export function ignore(): void {}

/** @throws {TypeError} If it is no pool. On the single connection of a `Client`, creates would join the app's own transactions. */
export function requirePool(pool: PostgresPool): void {
  if (typeof pool === "object" && pool !== null && "connect" in pool && "totalCount" in pool) return;
  throw new TypeError(`A PostgreSQL store takes a Pool of node-postgres (pg), not ${kindOf(pool)}`);
}

/** Lets no lost connection end the process until {@link unwatchPool}: a pool without a listener throws what an idle one reports. */
export function watchPool(pool: PostgresPool): void {
  pool.on?.("error", ignore);
  eventsOf(pool).on?.("connect", guardParser);
}

/** Ends what {@link watchPool} began. */
export function unwatchPool(pool: PostgresPool): void {
  pool.off?.("error", ignore);
  eventsOf(pool).off?.("connect", guardParser);
}

/** A pool tells of each connection that it opens, but the store does not ask an app for more than it must. */
function eventsOf(pool: object): ConnectEvents {
  return pool;
}

function kindOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return value == null ? String(value) : `a ${typeof value}`;
  if ("then" in value) return "a promise";
  return "processID" in value ? "a Client" : "another object";
}

export function sizeOf(pool: PostgresPool): number {
  return pool.options?.max ?? DEFAULT_SIZE;
}

/**
 * In node-postgres 8.23, a message that cannot be read ends the process. PgBouncer sends one when its own connection ends within a
 * message. With this, only the connection ends.
 */
function guardParser(connection: Connection): void {
  connection.on("error", ignore);
  const { stream } = connection.connection ?? {};
  const [parse, ...others] = stream?.listeners("data") ?? [];
  if (!stream || !parse || others.length > 0) return;
  stream.off("data", parse).on("data", (chunk) => {
    try {
      parse(chunk);
    } catch (error) {
      stream.destroy(error as Error);
    }
  });
}

/**
 * Runs a statement, in a transaction of its own.
 *
 * @param parameters Without them (`null`), `text` may contain several statements, and there are no rows.
 * @param name The name of the prepared statement; `undefined` if it is not to be prepared.
 * @throws {BrokenResultError} If rows are missing or left over, or one lacks a column.
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
  const query = { text, values: parameters, rowMode: "array" as const };
  const { rows, command, rowCount, fields } = await connection.query(name === undefined ? query : { ...query, name });
  requireColumns(rows, fields.length);
  const expected = command === "SELECT" ? rowCount : 0;
  if (rows.length === expected) return rows;
  throw new BrokenResultError(`the result has ${rows.length} rows, and its end says ${command} ${rowCount}`);
}

export function requireColumns(rows: readonly Row[], columns: number): void {
  // This is a loop, because `every()` would skip holes in the array.
  for (const row of rows) if (row?.length !== columns) throw new BrokenResultError("a row of the result is incomplete");
}

/** The names of the prepared statements. All stores of the process must use one name for a text. */
const names = new Map<string, string>();

/** Distinguishes the names from those of another copy of this library on the same pool. */
let prefix: string | undefined;

export function nameOf(text: string): string {
  prefix ??= `petstore_${crypto.randomUUID().slice(0, 8)}`;
  const name = names.get(text) ?? `${prefix}_${names.size + 1}`;
  names.set(text, name);
  return name;
}
