/**
 * Pools of the server, which end with their use. The pool of an app is different: the app ends it,
 * and a store leaves it open.
 */

import type { KeyedPetStore } from "@petstore/petstore/store";
import { resolvesWithin } from "@petstore/petstore/store/toolkit";
// @ts-types="@types/pg"
import type { Pool } from "pg";
import { createPostgresStore } from "../mod.ts";
import { StatementQueue } from "./client/statement_queue.ts";
import { checkOptions, type PostgresStoreOptions } from "./options.ts";

/** How long the connections of a pool may take to close. A connection to a lost host never closes. */
const CLOSE_TIMEOUT_MS = 2000;

/** Opens a store whose `close()` ends the pool too. If the store cannot be opened, the pool ends at once. */
export async function openOnOwnPool(pool: Pool, options: PostgresStoreOptions = {}): Promise<KeyedPetStore> {
  const store = await createPostgresStore(pool, options).catch(async (error) => {
    await endPool(pool);
    throw error;
  });
  const close = store.close.bind(store);
  return Object.assign(store, {
    close: async () => {
      await close();
      await endPool(pool);
    },
  });
}

/** Ends the pool once `use` has ended, also if it fails. */
export async function withOwnPool<T>(
  pool: Pool,
  options: PostgresStoreOptions,
  use: (db: StatementQueue) => Promise<T>,
): Promise<T> {
  const db = new StatementQueue(pool, checkOptions(options));
  try {
    return await use(db);
  } finally {
    db.refuseWaiting();
    await endPool(pool);
  }
}

/** Waits until all connections have closed, but not longer than the timeout. Never rejects. */
async function endPool(pool: Pool): Promise<void> {
  await resolvesWithin(CLOSE_TIMEOUT_MS, pool.end().catch(() => {}));
}
