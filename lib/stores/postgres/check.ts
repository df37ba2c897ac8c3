/** Checks the tables of a PostgreSQL database. Changes nothing. */

import { StoreUnavailableError } from "../store.ts";
import { Database, type PostgresClientMaker, type PostgresStoreOptions } from "./client/client.ts";
import { inspect, type Inspection, requireReady, requireTables } from "./schema/inspection.ts";
import { MIGRATIONS } from "./schema/tables.ts";

/**
 * @throws {StoreUnavailableError} If the database cannot be reached, has no tables of a version that this release can use, or
 * if the role lacks rights.
 */
export async function inspectPostgresStore(
  makeClient: PostgresClientMaker,
  options: PostgresStoreOptions,
): Promise<Inspection> {
  const db = new Database(makeClient, options);
  try {
    const state = requireTables(db, await inspect(db));
    if (state.version < MIGRATIONS.length) {
      throw new StoreUnavailableError(`The schema ${db.schema} is of an older release; the next start migrates it`);
    }
    if (!state.isReadOnly) await requireReady(db);
    return state;
  } finally {
    await db.release();
  }
}
