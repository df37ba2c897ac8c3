/** In place of Cloudflare's types, so that the package does not depend on them. */

/** A D1 database: `env.DB` in a Worker. */
export interface D1Binding {
  /** Makes a statement. */
  prepare(sql: string): D1Statement;
  /** In one transaction and one round trip. */
  batch(statements: D1Statement[]): Promise<D1Rows[]>;
}

/** `D1PreparedStatement` of Cloudflare's types. */
export interface D1Statement {
  /** A copy of the statement with these values. */
  bind(...values: unknown[]): D1Statement;
  /** Runs it. */
  all(): Promise<D1Rows>;
}

/** `D1Result` of Cloudflare's types. */
export interface D1Rows {
  /** The rows, by the names of their columns. */
  results: unknown[];
}

/** The storage of a Durable Object with SQLite: `ctx.storage`. */
export interface DurableObjectBinding {
  /** The database of the object. */
  sql: SqlStorage;
  /** Rolls back if the function throws. */
  transactionSync<T>(run: () => T): T;
}

/** `SqlStorage` of Cloudflare's types. */
export interface SqlStorage {
  /** Runs a statement. */
  exec(sql: string, ...values: (string | number | null)[]): SqlRows;
}

/** `SqlStorageCursor` of Cloudflare's types. */
export interface SqlRows {
  /** The rows, by the names of their columns. */
  toArray(): unknown[];
}
