import { type PetDraft, StoreUnavailableError } from "@petstore/petstore/store";
import { untilAborted } from "@petstore/petstore/store/toolkit";
import { addAllPets } from "./add_pets.ts";
import type { StatementQueue } from "./client/statement_queue.ts";
import { openTables } from "./schema/opening.ts";

/** How long an import may take. Its statement also waits for the creates of the servers. */
const TIMEOUT_MS = 600_000;

/**
 * Adds pets in one statement, for which the creates of the servers wait.
 *
 * @throws What the signal says, if it is aborted before PostgreSQL has the pets. Nothing was added
 * then.
 * @throws {StoreUnavailableError} If `mayBeStored`, either all pets were added or none.
 */
export async function importPets(
  db: StatementQueue,
  pets: readonly PetDraft[],
  signal: AbortSignal,
): Promise<{ isNew: boolean }> {
  signal.throwIfAborted();
  const isNew = await openTables(db);
  try {
    await untilAborted(signal, addAllPets(db, pets, performance.now() + TIMEOUT_MS));
  } catch (error) {
    if (!signal.aborted) throw error;
    const message = "The import was stopped while PostgreSQL was adding the pets; it adds all of them, or none";
    throw new StoreUnavailableError(message, { cause: error, mayBeStored: true });
  }
  // The plans that the servers' connections keep were made for fewer pets, and might read the whole
  // table for each pet. An analysis ends them. Without the right to it, or in time, PostgreSQL
  // makes one by itself within about a minute.
  await db.query(`ANALYZE "${db.schema}".pets`).catch(() => {});
  return { isNew };
}
