/** The parts of Cloudflare's APIs that the stores use, so that the package needs none of its types. */

/** A D1 database: `env.DB` in a Worker, or `D1Database` of Cloudflare's types. */
export interface D1Binding {
  /** Makes a statement. */
  prepare(sql: string): D1Statement;
  /** Runs statements in one transaction, in one round trip. */
  batch(statements: D1Statement[]): Promise<D1Rows[]>;
}

/** A statement: `D1PreparedStatement` of Cloudflare's types. */
export interface D1Statement {
  /** A copy of the statement with these values. */
  bind(...values: unknown[]): D1Statement;
  /** Runs it. */
  all(): Promise<D1Rows>;
}

/** The result of a statement: `D1Result` of Cloudflare's types. */
export interface D1Rows {
  /** The rows, by the names of their columns. */
  results: unknown[];
}

/** The storage of a Durable Object with SQLite: `ctx.storage`, or `DurableObjectStorage` of Cloudflare's types. */
export interface DurableObjectBinding {
  /** The database of the object. */
  sql: SqlStorage;
  /** Runs a function in a transaction, which is rolled back if the function throws. */
  transactionSync<T>(run: () => T): T;
}

/** The database of a Durable Object: `SqlStorage` of Cloudflare's types. */
export interface SqlStorage {
  /** Runs a statement. */
  exec(sql: string, ...values: (string | number | null)[]): SqlRows;
}

/** The result of a statement: `SqlStorageCursor` of Cloudflare's types. */
export interface SqlRows {
  /** The rows, by the names of their columns. */
  toArray(): unknown[];
}
