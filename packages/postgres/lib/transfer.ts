/** Exports all pets of a database, and imports pets into one. */

import { type PetDraft, StoreUnavailableError } from "@petstore/petstore/store";
import { type PetSink, untilAborted } from "@petstore/petstore/store/toolkit";
import { addAllPets } from "./add_pets.ts";
import type { StatementQueue } from "./client/statement_queue.ts";
import { inspectTables, openTables } from "./schema/opening.ts";
import { readStatements } from "./statements.ts";

const PETS_PER_PAGE = 1000;

/**
 * Exports all pets, in ascending order of id, as they are at the moment of the last page: pets
 * become visible in the order of their ids, and no pet is altered or deleted.
 */
export async function exportPets(db: StatementQueue, write: PetSink): Promise<void> {
  await inspectTables(db);
  const { all } = readStatements(db.schema);
  let after = "0";
  for (;;) {
    const rows = await db.query(all, [after, String(PETS_PER_PAGE)]);
    if (rows.length > 0) await write(rows.map(([, json]) => json).join("\n"), rows.length);
    if (rows.length < PETS_PER_PAGE) return;
    after = String(rows.at(-1)?.[0]);
  }
}

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
