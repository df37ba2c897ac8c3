import type { PetDraft } from "../store.ts";
import type { Connection } from "./connection.ts";
import { unavailableFrom } from "./errors.ts";
import { WriteTransactions } from "./write_transactions.ts";
import { openDatabase } from "./open.ts";
import { beginWrite, BUSY_TIMEOUT_MS, runAndCommit } from "./transaction.ts";

/** After this many pets, a signal can end the import. */
const PETS_PER_TURN = 2_000;

/**
 * Adds pets in one transaction, for which the creates of other programs wait. The file is created
 * as a store creates it.
 *
 * @throws What the signal says, if it is aborted before the end. Nothing was added then.
 */
export async function importPets(
  path: string,
  pets: readonly PetDraft[],
  signal: AbortSignal,
): Promise<{ isNew: boolean }> {
  const connection = openDatabase(path);
  try {
    await addAll(connection, pets, signal);
    return { isNew: connection.isNew };
  } catch (error) {
    throw signal.aborted ? signal.reason : unavailableFrom(error, path);
  } finally {
    // Closing the connection rolls back what was not committed.
    connection.close();
  }
}

async function addAll(connection: Connection, pets: readonly PetDraft[], signal: AbortSignal): Promise<void> {
  const transactions = new WriteTransactions(connection);
  beginWrite(connection.db, BUSY_TIMEOUT_MS);
  for (let start = 0; start < pets.length; start += PETS_PER_TURN) {
    const writes = pets.slice(start, start + PETS_PER_TURN).map((pet) => ({ kind: "create" as const, pet }));
    transactions.apply(writes);
    await noticeSignal(signal);
  }
  // The transaction has all pets now. It is committed only if the file is still in its place.
  runAndCommit(connection.db, () => connection.requireCommittable());
}

/** Lets the process handle a signal, and throws what the signal says if it is aborted. */
async function noticeSignal(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}
