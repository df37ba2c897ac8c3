/** The parts of Cloudflare's types that the stores use. The package does not depend on theirs. */

/** A D1 database: `env.DB` in a Worker. */
export interface D1Binding {
  /** Makes a statement. */
  prepare(sql: string): D1Statement;
  /** Runs statements in one transaction and one round trip. */
  batch(statements: D1Statement[]): Promise<D1Rows[]>;
}

/** A statement: what Cloudflare calls `D1PreparedStatement`. */
export interface D1Statement {
  /** Returns a copy of the statement with these values. */
  bind(...values: unknown[]): D1Statement;
  /** Runs the statement. */
  all(): Promise<D1Rows>;
}

/** The result of a statement: what Cloudflare calls `D1Result`. */
export interface D1Rows {
  /** The rows, each an object with a member for each column. */
  results: unknown[];
}

/** The storage of a Durable Object with SQLite: `ctx.storage`. */
export interface DurableObjectBinding {
  /** The database of the object. */
  sql: SqlStorage;
  /** Runs a function in a transaction, which is rolled back if the function throws. */
  transactionSync<T>(run: () => T): T;
}

/** The SQL of an object's storage: what Cloudflare calls `SqlStorage`. */
export interface SqlStorage {
  /** Runs a statement. */
  exec(sql: string, ...values: (string | number | null)[]): SqlRows;
}

/** Rows of a statement: what Cloudflare calls `SqlStorageCursor`. */
export interface SqlRows {
  /** Returns the rows, each an object with a member for each column. */
  toArray(): unknown[];
}
