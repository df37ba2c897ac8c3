/**
 * The store on PostgreSQL for the server of `@petstore/petstore`, which loads this module when its
 * store is a `postgres://` address.
 *
 * @module
 */

import { type KeyedPetStore, type PetDraft, type StoredKey, StoreUnavailableError } from "@petstore/petstore/store";
import type { PetSink } from "@petstore/petstore/store/toolkit";
// @ts-types="@types/pg"
import { Pool } from "pg";
import { readAddress } from "./lib/address.ts";
import { checkTables } from "./lib/check.ts";
import type { StatementQueue } from "./lib/client/statement_queue.ts";
import { adviceOf } from "./lib/client/errors.ts";
import { postgresKeys } from "./lib/keys.ts";
import { openOnOwnPool, withOwnPool } from "./lib/own_pool.ts";
import { inspectTables } from "./lib/schema/opening.ts";
import { exportPets, importPets } from "./lib/transfer.ts";
import { postgresGrants, postgresSchema } from "./mod.ts";

export { type KeyedPetStore, type PetDraft, type PetSink, postgresGrants, postgresSchema, type StoredKey };

/**
 * What the server does with a database. Each call opens its own connections, and closes them. If
 * the database cannot be used, it rejects with a {@link StoreUnavailableError} whose message is one
 * line, and names the database.
 */
export interface PostgresSetting {
  /** The address without its secrets, for messages. */
  description: string;
  /** Opens the store, whose `close()` ends its connections too. `isNew` says whether this has made the tables. */
  open(): Promise<KeyedPetStore & { readonly isNew?: boolean }>;
  /** Reads the keys, and changes nothing. */
  listKeys(): Promise<readonly StoredKey[]>;
  /** What is wrong with the tables, in sentences, and what they are. */
  check(): Promise<{ faults: string[]; contents: string }>;
  /** Writes all pets in ascending order of id. */
  export(write: PetSink): Promise<void>;
  /** Adds all pets, or none. */
  import(pets: readonly PetDraft[], signal: AbortSignal): Promise<{ isNew: boolean }>;
}

/**
 * Reads the address of a database, and connects to nothing yet.
 *
 * @param address Such as `postgres://user:password@host:5432/database?schema=pets`.
 * @param password That of an address without one. Default: what pg finds, for example in
 * `PGPASSWORD`.
 * @throws {TypeError} If it is invalid. The message quotes at most its schema.
 */
export function readPostgresSetting(address: string, password?: string): PostgresSetting {
  const { description, pool, options } = readAddress(address, password);
  const withDatabase = <T>(use: (db: StatementQueue) => Promise<T>) =>
    explained(description, () => withOwnPool(new Pool(pool), options, use));
  return {
    description,
    open: () => explained(description, () => openOnOwnPool(new Pool(pool), options)),
    listKeys: () =>
      withDatabase(async (db) => {
        await inspectTables(db);
        return await postgresKeys(db).list();
      }),
    check: () => withDatabase(checkTables),
    export: (write) => withDatabase((db) => exportPets(db, write)),
    import: (pets, signal) => withDatabase((db) => importPets(db, pets, signal)),
  };
}

/**
 * Names the database in what is wrong with it, and says what an operator can do. The errors of an
 * export's sink and of an import's signal stay as they are, and an import that may have added its
 * pets says so itself.
 */
async function explained<T>(description: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreUnavailableError) || error.mayBeStored) throw error;
    const { message, isTemporary } = error;
    const explanation = `${description} cannot be used: ${message}${adviceOf(error)}`;
    throw new StoreUnavailableError(explanation, { cause: error, isTemporary });
  }
}
