import type { PetDraft } from "../store.ts";
import { explained } from "./errors.ts";
import { FileConnection } from "./file_connection.ts";
import { WriteTransactions } from "./write_transactions.ts";
import { openDatabase } from "./open.ts";
import { beginWrite, runAndCommit } from "./transaction.ts";

const LOCK_TIMEOUT_MS = 5_000;

/** After this many pets, a signal can end the import. */
const PETS_PER_TURN = 2_000;

/**
 * Adds pets in one transaction, for which the creates of other programs wait. The file is created as a store creates it.
 *
 * @throws What the signal says, if it is aborted before the end. Nothing was added then.
 */
export async function importPets(
  path: string,
  pets: readonly PetDraft[],
  signal: AbortSignal,
): Promise<{ isNew: boolean }> {
  const opened = explained(path, () => openDatabase(path));
  const { db, isNew } = opened;
  const connection = new FileConnection(opened, path), transactions = new WriteTransactions(db, connection);
  try {
    explained(path, () => beginWrite(db, LOCK_TIMEOUT_MS));
    for (let start = 0; start < pets.length; start += PETS_PER_TURN) {
      const writes = pets.slice(start, start + PETS_PER_TURN).map((pet) => ({ kind: "create" as const, pet }));
      explained(path, () => transactions.apply(writes));
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
    // The transaction has all pets now. It is committed only if the file is still in its place.
    explained(path, () => runAndCommit(db, () => connection.requireCommittable()));
    return { isNew };
  } finally {
    // Closing the connection rolls back what was not committed.
    connection.close();
  }
}
