/** In place of Cloudflare's types, on which the package does not depend. */

/** A D1 database: `env.DB` in a Worker. */
export interface D1Binding {
  /** Makes a statement. */
  prepare(sql: string): D1Statement;
  /** In one transaction and one round trip. */
  batch(statements: D1Statement[]): Promise<D1Rows[]>;
}

/** `D1PreparedStatement`. */
export interface D1Statement {
  /** Returns a copy. */
  bind(...values: unknown[]): D1Statement;
  /** Runs it. */
  all(): Promise<D1Rows>;
}

/** `D1Result`. */
export interface D1Rows {
  /** By the names of the columns. */
  results: unknown[];
}

/** The storage of a Durable Object with SQLite: `ctx.storage`. */
export interface DurableObjectBinding {
  /** The database of the object. */
  sql: SqlStorage;
  /** Rolls back if the function throws. */
  transactionSync<T>(run: () => T): T;
}

/** `SqlStorage`. */
export interface SqlStorage {
  /** Runs a statement. */
  exec(sql: string, ...values: (string | number | null)[]): SqlRows;
}

/** `SqlStorageCursor`. */
export interface SqlRows {
  /** By the names of the columns. */
  toArray(): unknown[];
}
