import { type PetDraft, StoreUnavailableError } from "../store.ts";
import type { PostgresClientMaker, PostgresStoreOptions } from "./client/client.ts";
import { untilAborted } from "../../waiting.ts";
import { addPets, petArrays } from "./commit.ts";
import { openDatabase } from "./schema/schema.ts";
import { statementsFor } from "./statements.ts";

/** In milliseconds. The statement also waits for the creates of the servers. */
const TIMEOUT = 600_000;

/**
 * Adds pets in one statement, for which the creates of the servers wait.
 *
 * @throws What the signal says, if it is aborted before PostgreSQL has the pets. Nothing was added then.
 * @throws {StoreUnavailableError} If `mayBeStored`, either all pets were added or none.
 */
export async function importPets(
  makeClient: PostgresClientMaker,
  options: PostgresStoreOptions,
  pets: readonly PetDraft[],
  signal: AbortSignal,
): Promise<{ isNew: boolean }> {
  signal.throwIfAborted();
  const db = await openDatabase(makeClient, { ...options, timeoutMs: TIMEOUT });
  try {
    const noRequests = ["{}", "{}", "{}"];
    const parameters = [...petArrays(pets), ...noRequests];
    const added = addPets(db, statementsFor(db.schema).add, parameters, performance.now() + TIMEOUT);
    await untilAborted(signal, added);
    return { isNew: db.isNew };
  } catch (error) {
    if (!signal.aborted) throw error;
    const message = "The import was stopped while PostgreSQL was adding the pets; it adds all of them, or none";
    throw new StoreUnavailableError(message, { cause: error, mayBeStored: true });
  } finally {
    await db.release();
  }
}
