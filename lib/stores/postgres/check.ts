/** Checks the tables of a PostgreSQL database. Changes nothing. */

import { StoreUnavailableError } from "../store.ts";
import { Database, type PostgresClientMaker } from "./client/client.ts";
import type { PostgresStoreOptions } from "./postgres_store.ts";
import { inspect, requireReady } from "./schema/inspection.ts";
import { DEFAULT_SCHEMA, requirePresent } from "./schema/schema.ts";

/** The state of a sound database. */
export interface PostgresState {
  /** The version of the tables. */
  version: number;
  /** Whether this is a standby, or the role may only read. */
  isReadOnly: boolean;
}

/**
 * @throws {StoreUnavailableError} If the database cannot be reached, has no tables of a version that this release can use, or
 * if the role lacks rights.
 */
export async function inspectPostgresStore(
  makeClient: PostgresClientMaker,
  { schema = DEFAULT_SCHEMA, timeoutMs = 5000, prepare = true }: PostgresStoreOptions,
): Promise<PostgresState> {
  const db = new Database(makeClient, { timeoutMs, prepare });
  try {
    const state = await inspect(db, schema);
    const isOlder = requirePresent(schema, state.version);
    if (isOlder) {
      throw new StoreUnavailableError(`The schema ${schema} is of an older release; the next start migrates it`);
    }
    if (!state.isReadOnly) await requireReady(db, schema);
    return state;
  } finally {
    await db.release();
  }
}
