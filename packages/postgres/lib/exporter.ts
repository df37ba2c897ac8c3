import { StoreUnavailableError } from "@petstore/petstore/store";
import type { PetSink } from "@petstore/petstore/store/toolkit";
import type { StatementQueue } from "./client/statement_queue.ts";
import { inspectTables } from "./schema/opening.ts";
import { readStatements } from "./statements.ts";

const PETS_PER_PAGE = 1000;

/**
 * Exports all pets, in ascending order of id, as they are at one moment. They are read page by page, up to the last id at the start: pets
 * become visible in the order of their ids, and no pet is altered or deleted.
 */
export async function exportPets(db: StatementQueue, write: PetSink): Promise<void> {
  const { lastId, upTo } = readStatements(db.schema);
  await inspectTables(db);
  const [[last = "0"] = []] = await db.query(lastId);
  let after = "0";
  while (after !== last) {
    const rows = await db.query(upTo, [after, String(PETS_PER_PAGE), last]);
    // Another program has deleted the last pets meanwhile, or a failover has lost them. An export without them must not look whole.
    if (rows.length === 0) throw new StoreUnavailableError(`The pets from ${after} to ${last} are gone; export again`);
    await write(rows.map(([, json]) => json).join("\n"), rows.length);
    after = String(rows.at(-1)?.[0]);
  }
}
