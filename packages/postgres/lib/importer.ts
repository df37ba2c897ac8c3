import { type PetDraft, StoreUnavailableError } from "@petstore/petstore/store";
import { untilAborted } from "@petstore/petstore/store/toolkit";
import { addPets } from "./add_pets.ts";
import type { StatementQueue } from "./client/statement_queue.ts";
import { openTables } from "./schema/opening.ts";

/** How long an import may take. Its statement also waits for the creates of the servers. */
const TIMEOUT_MS = 600_000;

/**
 * Adds pets in one statement, for which the creates of the servers wait.
 *
 * @throws What the signal says, if it is aborted before PostgreSQL has the pets. Nothing was added then.
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
    await untilAborted(signal, addPets(db, pets, [], performance.now() + TIMEOUT_MS));
    return { isNew };
  } catch (error) {
    if (!signal.aborted) throw error;
    const message = "The import was stopped while PostgreSQL was adding the pets; it adds all of them, or none";
    throw new StoreUnavailableError(message, { cause: error, mayBeStored: true });
  }
}
