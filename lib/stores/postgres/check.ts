/** Checks the tables of a PostgreSQL database. Changes nothing. */

import { StoreUnavailableError } from "../store.ts";
import { type PostgresClientMaker, useDatabase } from "./client/client.ts";
import type { PostgresStoreOptions } from "./postgres_store.ts";
import { inspect, type Inspection, requireReady } from "./schema/inspection.ts";
import { DEFAULT_SCHEMA, requirePresent } from "./schema/schema.ts";

/**
 * @throws {StoreUnavailableError} If the database cannot be reached, has no tables of a version that this release can use, or
 * if the role lacks rights.
 */
export async function inspectPostgresStore(
  makeClient: PostgresClientMaker,
  { schema = DEFAULT_SCHEMA, timeoutMs = 5000, prepare = true }: PostgresStoreOptions,
): Promise<Inspection> {
  return await useDatabase(makeClient, { timeoutMs, prepare }, async (db) => {
    const state = await inspect(db, schema);
    if (requirePresent(schema, state.version)) {
      throw new StoreUnavailableError(`The schema ${schema} is of an older release; the next start migrates it`);
    }
    if (!state.isReadOnly) await requireReady(db, schema);
    return state;
  });
}
