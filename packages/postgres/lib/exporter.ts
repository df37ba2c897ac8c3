import type { PetSink } from "@petstore/petstore/store/toolkit";
import type { StatementQueue } from "./client/statement_queue.ts";
import { inspectTables } from "./schema/opening.ts";
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
