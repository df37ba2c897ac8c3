/**
 * The store on PostgreSQL for the server of `@petstore/petstore`, which loads this module when its store is a `postgres://` address.
 *
 * @module
 */

import { type KeyedPetStore, type PetDraft, type StoredKey, StoreUnavailableError } from "@petstore/petstore/store";
import type { PetSink } from "@petstore/petstore/store/toolkit";
// @ts-types="@types/pg"
import { Pool, type PoolConfig } from "pg";
import { readAddress } from "./lib/address.ts";
import { inspectPostgresStore, listPostgresKeys } from "./lib/check.ts";
import type { PostgresStoreOptions } from "./lib/client/database.ts";
import { isTemporary } from "./lib/client/errors.ts";
import { exportPostgres } from "./lib/exporter.ts";
import { importPets } from "./lib/importer.ts";
import { createPostgresStore, postgresGrants, type PostgresPool, postgresSchema } from "./mod.ts";

export { type KeyedPetStore, type PetDraft, type PetSink, postgresGrants, postgresSchema, type StoredKey };

/** What the server does with a database. Each call opens its own connections, and closes them. */
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

/** How long the connections may take to close, in milliseconds. One to a lost host never does. */
const CLOSE_TIMEOUT = 2000;

/**
 * Reads the address of a database, and connects to nothing yet.
 *
 * @param address Such as `postgres://user:password@host:5432/database?schema=pets`.
 * @param password That of an address without one. Default: what pg finds, for example in `PGPASSWORD`.
 * @throws {TypeError} If it is invalid. The message quotes no part of it.
 */
export function readPostgresSetting(address: string, password?: string): PostgresSetting {
  const { description, pool, schema, prepare } = readAddress(address);
  const settings: PoolConfig = { password, ...pool };
  const options: PostgresStoreOptions = { prepare, ...(schema !== undefined && { schema }) };

  async function explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { message, cause } = error as Error;
      const line = `${description} cannot be opened: ${message}`;
      if (error instanceof StoreUnavailableError && error.mayBeStored) throw error;
      throw cause !== undefined && isTemporary(cause)
        ? new StoreUnavailableError(line, { cause })
        : new Error(line, { cause: error });
    }
  }

  function withPool<T>(use: (pool: PostgresPool) => Promise<T>): Promise<T> {
    return explained(async () => {
      const pool = new Pool(settings);
      try {
        return await use(pool);
      } finally {
        await end(pool);
      }
    });
  }

  return {
    description,
    open: () =>
      explained(async () => {
        const pool = new Pool(settings);
        try {
          return closingPool(await createPostgresStore(pool, options), pool);
        } catch (error) {
          await end(pool);
          throw error;
        }
      }),
    listKeys: () => withPool((pool) => listPostgresKeys(pool, options)),
    check: () =>
      withPool(async (pool) => {
        const { version, isReadOnly, faults } = await inspectPostgresStore(pool, options);
        return { faults, contents: `schema version ${version}${isReadOnly ? ", for reading only" : ""}` };
      }),
    export: (write) => withPool((pool) => exportPostgres(pool, options, write)),
    import: (pets, signal) => withPool((pool) => importPets(pool, options, pets, signal)),
  };
}

/** A store that owns its pool. */
function closingPool(store: KeyedPetStore, pool: Pool): KeyedPetStore {
  const close = store.close.bind(store);
  let closing: Promise<void> | undefined;
  return Object.assign(store, {
    close: () => closing ??= Promise.resolve(close()).then(() => end(pool)),
  });
}

async function end(pool: Pool): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => timer = setTimeout(resolve, CLOSE_TIMEOUT));
  await Promise.race([pool.end().catch(() => {}), timeout]);
  clearTimeout(timer);
}
