/**
 * Keeps pets in Cloudflare D1, or in the SQLite database of a Durable Object. Any number of Workers
 * may share one D1 database.
 *
 * @example
 * ```ts ignore
 * import { createPetstore } from "@petstore/petstore";
 * import { createD1Store } from "@petstore/edge/d1";
 * import { env } from "cloudflare:workers";
 *
 * const petstore = createPetstore({ store: createD1Store(env.DB), keys: env.PETSTORE_KEYS.split(",") });
 *
 * export default { fetch: petstore.handle };
 * ```
 *
 * @module
 */

import type { KeyedPetStore } from "@petstore/petstore/store";
import type { Rows, Value } from "@petstore/petstore/store/toolkit";
import { createSqlStore } from "./sql_store.ts";
import { d1Schema } from "./schema.ts";

export { d1Schema };

/**
 * Keeps pets in a D1 database. The first use makes the tables, whose names begin with `petstore_`,
 * or checks their version; see {@link d1Schema}.
 *
 * A create resolves when D1 has committed it, and is never repeated, so one that fails may have
 * been stored. All reads go to the primary database, so each sees all acknowledged pets.
 *
 * @param db The database: `env.DB`.
 * @returns The store, whose methods reject with {@link StoreUnavailableError} if D1 cannot serve,
 * or the tables need a later release.
 * @throws {TypeError} If `db` is no D1 database, or a session (`withSession()`): replicas may lack
 * acknowledged pets.
 */
export function createD1Store(db: D1Binding): KeyedPetStore {
  const { prepare, batch, getBookmark } = (db ?? {}) as Partial<D1Binding & { getBookmark: unknown }>;
  if (typeof prepare !== "function" || typeof batch !== "function") {
    throw new TypeError(
      "createD1Store() needs a D1 database, such as env.DB of a Worker with a binding DB in d1_databases",
    );
  }
  if (getBookmark !== undefined) {
    throw new TypeError("createD1Store() needs the D1 database itself, not a session of withSession()");
  }
  return createSqlStore("D1", async (...statements) => {
    const bound = statements.map(([sql, ...values]) => db.prepare(sql).bind(...values));
    // A single statement is a transaction anyway, so it needs no batch.
    const results = bound.length === 1 ? [await bound[0]!.all()] : await db.batch(bound);
    return results.map(({ results }) => results as Rows);
  });
}

/**
 * Keeps pets in the SQLite database of a Durable Object. Make the store in the object's
 * constructor. Writes are on disk before the object's response leaves it (output gate).
 *
 * @param storage `ctx.storage` of an object whose class is in `new_sqlite_classes`.
 * @throws {TypeError} If `storage` is no storage with SQLite.
 */
export function createDurableObjectStore(storage: DurableObjectBinding): KeyedPetStore {
  if (typeof storage?.transactionSync !== "function" || typeof storage.sql?.exec !== "function") {
    throw new TypeError(
      "createDurableObjectStore() needs ctx.storage of a Durable Object whose class is in new_sqlite_classes",
    );
  }
  const run = (text: string, ...values: Value[]) => storage.sql.exec(text, ...values).toArray() as Rows;
  return createSqlStore(
    "The Durable Object's database",
    (...statements) => storage.transactionSync(() => statements.map((statement) => run(...statement))),
  );
}

// The parts of Cloudflare's types that the stores use follow. The package does not depend on theirs.

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
