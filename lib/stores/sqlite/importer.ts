import type { PetDraft } from "../store.ts";
import type { DatabaseSync } from "node:sqlite";
import type { Connection } from "./connection.ts";
import { isBusy, unavailableFrom } from "./errors.ts";
import { WriteTransactions } from "./write_transactions.ts";
import { openDatabase } from "./open.ts";
import { beginWrite, runAndCommit } from "./transaction.ts";

/** How long an import waits for the lock of another program. */
const LOCK_TIMEOUT_MS = 5_000;

/** How long the wait for the lock blocks the thread at a time. Between two waits, the import notices a signal. */
const LOCK_STEP_MS = 200;

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
  await begin(connection.db, signal);
  for (let start = 0; start < pets.length; start += PETS_PER_TURN) {
    const writes = pets.slice(start, start + PETS_PER_TURN).map((pet) => ({ kind: "create" as const, pet }));
    transactions.apply(writes);
    await noticeSignal(signal);
  }
  // The transaction has all pets now. It is committed only if the file is still in its place.
  runAndCommit(connection.db, () => connection.requireCommittable());
}

async function begin(db: DatabaseSync, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      return beginWrite(db, LOCK_STEP_MS);
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await noticeSignal(signal);
  }
}

/** Lets the process handle a signal, and throws what the signal says if it is aborted. */
async function noticeSignal(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}
