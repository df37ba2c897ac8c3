import { resolvesWithin } from "../../../waiting.ts";

/** The members of postgres.js's `sql` that the store uses. */
export interface PostgresJsClient {
  /** Runs a statement. */
  unsafe(text: string, parameters?: string[], options?: { prepare?: boolean }): PostgresJsQuery;
  /** `max` is the largest number of connections. */
  readonly options?: { readonly max?: number | undefined };
  /** Closes all connections, within `timeout` seconds. */
  end?(options?: { timeout?: number }): PromiseLike<unknown>;
}

/** A query of postgres.js. */
export interface PostgresJsQuery extends PromiseLike<unknown> {
  /** Makes rows arrays. */
  values(): PromiseLike<unknown> & Pick<PostgresJsQuery, "forEach">;
  /** Calls a listener for each row. */
  forEach(listener: (row: unknown) => void): PromiseLike<unknown>;
}

/** The members of a node-postgres `Pool` that the store uses. */
export interface NodePostgresClient {
  /** Checks out a connection. */
  connect(): PromiseLike<unknown>;
  /** The number of connections. */
  readonly totalCount: number;
  /** `max` is the largest number of connections. */
  readonly options?: { readonly max?: number | undefined };
  /** Adds a listener. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /** Removes a listener. */
  off?(event: "error", listener: (error: Error) => void): unknown;
  /** Closes the pool. */
  end?(): PromiseLike<unknown>;
}

/** A PostgreSQL client of either driver. */
export type PostgresClient = PostgresJsClient | NodePostgresClient;

/** All columns are text, because the drivers parse numbers differently. */
export type Row = (string | null)[];

export interface ResultEnd {
  command?: unknown;
  count?: unknown;
  columns?: readonly unknown[];
}

/** Its client must not be used any more. */
export class BrokenResultError extends Error {}

export function requireColumns(rows: readonly Row[], columns: number | undefined): void {
  // every() would skip holes.
  for (const row of rows) if (row?.length !== columns) throw new BrokenResultError("a row of the result is incomplete");
}

/** @throws {BrokenResultError} If rows are missing or left over, or one lacks a column. */
export function requireWhole(rows: readonly Row[], { command, count, columns }: ResultEnd): Row[] {
  const expected = command === "SELECT" ? count : 0;
  requireColumns(rows, columns?.length);
  if (typeof command === "string" && rows.length === expected) return rows as Row[];
  throw new BrokenResultError(`the result has ${rows.length} rows, and its end says ${command} ${count}`);
}

export interface RunningStatement {
  /** May settle long after {@link giveUp}. */
  done: Promise<Row[]>;
  /**
   * Returns whether the statement is cancelled, or is not sent.
   *
   * @param mayCancel Whether it may be cancelled once it has been sent.
   */
  giveUp(mayCancel: boolean): boolean;
  /** Whether PostgreSQL may have got it. */
  wasSent(): boolean;
  process(): number | undefined;
}

export interface Driver {
  size: number;
  /** How many statements a connection may have at a time. */
  depth: number;
  /** In a separate transaction. No cancellation of another statement may reach a write. */
  start(text: string, parameters: string[] | null, isWrite: boolean): RunningStatement;
  release(): void;
  /** Running statements get `timeoutMs` milliseconds to finish. */
  end(timeoutMs: number): Promise<void>;
}

export const DEFAULT_SIZE = 10;

export function ignore(): void {}

/** Never rejects. */
export async function settledWithin(timeoutMs: number, promise: PromiseLike<unknown>): Promise<void> {
  await resolvesWithin(timeoutMs, Promise.resolve(promise).then(ignore, ignore));
}

/** In PostgreSQL's notation, because the two drivers format arrays differently. */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;
}

export function numberArray(numbers: readonly (number | bigint)[]): string {
  return `{${numbers.join(",")}}`;
}
