/**
 * Keeps pets in Cloudflare D1, or in the SQLite database of a Durable Object. Any number of Workers may share one D1 database.
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

import type { IdempotentOutcome, KeyedPetStore, MaybePromise, PetDraft } from "@petstore/petstore/store";
import {
  chain,
  pageOf,
  recall,
  requireValid,
  type Rows,
  SqlKeys,
  type Statement,
  statusCode,
  type Value,
} from "@petstore/petstore/store/toolkit";
import type { D1Binding, DurableObjectBinding } from "./binding.ts";
import { d1Schema, type RunTransaction, Tables } from "./schema.ts";
import { SQL } from "./statements.ts";

export { d1Schema };
export type { D1Binding, D1Rows, D1Statement, DurableObjectBinding, SqlRows, SqlStorage } from "./binding.ts";

/**
 * Keeps pets in a D1 database. The first use makes the tables, whose names begin with `petstore_`, or checks their
 * version; see {@link d1Schema}.
 *
 * A create resolves when D1 has committed it, and is never repeated, so one that fails may have been stored. All reads
 * go to the primary database, so each sees all acknowledged pets.
 *
 * @param db The database: `env.DB`.
 * @returns The store, whose methods reject with {@link StoreUnavailableError} if D1 cannot serve, or the tables need a
 * later release.
 * @throws {TypeError} If `db` is no D1 database, or a session (`withSession()`): replicas may lack acknowledged pets.
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
  return createStore("D1", async (...statements) => {
    const bound = statements.map(([sql, ...values]) => db.prepare(sql).bind(...values));
    // A single statement is a transaction anyway, so it needs no batch.
    const results = bound.length === 1 ? [await bound[0]!.all()] : await db.batch(bound);
    return results.map(({ results }) => results as Rows);
  });
}

/**
 * Keeps pets in the SQLite database of a Durable Object. Make the store in the object's constructor. Its methods return
 * without a promise. Writes are on disk before the object's response leaves it (output gate).
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
  return createStore(
    "The Durable Object's database",
    (...statements) => storage.transactionSync(() => statements.map((statement) => run(...statement))),
  );
}

/** @param name The name of the database in messages. */
function createStore(name: string, run: RunTransaction): KeyedPetStore {
  const tables = new Tables(name, run);
  return {
    keys: new SqlKeys("petstore_keys", (_kind, ...statements) => tables.run(...statements)),
    create(pet) {
      // The second statement undoes the batch if the pet is not in the table after the first one.
      const done = tables.addPet([SQL.insertPet, ...valuesOf(pet)], [SQL.requirePet]);
      return chain(done, ([created]) => idOf(created) ?? tables.rejectWrite());
    },
    createOnce(pet, { key, fingerprint, retentionMs }) {
      // An expired request with this key is forgotten. A request that is not known reserves an id for its pet, under which the pet is added. Then
      // the batch is undone if that pet is not in the table. The last statement reads what is remembered of the request.
      const done = tables.addPet(
        [SQL.deleteRequests, key],
        [SQL.insertRequest, key, fingerprint, retentionMs],
        [SQL.insertReservedPet, ...valuesOf(pet), key],
        [SQL.confirmRequest, key],
        [SQL.request, key],
      );
      return chain(done, ([_deleted, _inserted, created, _confirmed, remembered]): MaybePromise<IdempotentOutcome> => {
        const id = idOf(created);
        if (id !== undefined) return { outcome: "created", id };
        return recall(remembered?.[0], fingerprint) ?? tables.rejectWrite();
      });
    },
    get(id) {
      return chain(tables.run([SQL.pet, String(id)]), ([rows]) => rows?.[0]?.["json"] as string | undefined);
    },
    list({ after, limit, status }) {
      // One row more than the page has shows whether another page follows.
      const bounds = [String(after), limit + 1];
      const statement: Statement = status === undefined
        ? [SQL.all, ...bounds]
        : [SQL.ofStatus, statusCode(status), ...bounds];
      return chain(tables.run(statement), ([rows]) => pageOf(rows as { id: string; json: string }[], limit));
    },
    check: () => chain(tables.run([SQL.one]), () => {}),
    /** Refuses later calls at once. It waits for no create, because a request of a Worker must not wait for the creates of others. */
    close: () => tables.close(),
    [Symbol.asyncDispose]: () => Promise.resolve(tables.close()),
  };
}

function valuesOf(pet: PetDraft): Value[] {
  const status = requireValid(pet);
  return [pet.name, String(pet.categoryId), status];
}

/** The id of the pet that a statement has added; undefined if it has added none. */
function idOf(rows: Rows | undefined): bigint | undefined {
  const id = rows?.[0]?.["id"];
  return id === undefined ? undefined : BigInt(id as string);
}
