/** The pool of node-postgres that an app gives to a store. */

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
