import { PET_JSON, type PetSink } from "../database/sql_tables.ts";
import { explained } from "./errors.ts";
import { findDatabase, openSnapshot } from "./inspection.ts";
import { pageStatement, readPage } from "./page_statement.ts";
import { prepareWithBigInts } from "./transaction.ts";

/** Reads a page as the lines of an export, and counts them. A test checks SQLite's plan for it. */
export const EXPORT_PAGE: string = pageStatement(`group_concat(${PET_JSON}, char(10)) AS text, count(*) AS count`);

const PETS_PER_PAGE = 1000n;

/** The id after which the first page begins. Ids that another program has assigned may be negative. */
const INT64_MIN = -(2n ** 63n);

/**
 * Writes all pets in ascending order of id, in one read transaction. The write-ahead log grows
 * meanwhile.
 *
 * @throws {StoreUnavailableError} If the file cannot be read.
 * @throws What `write` throws.
 */
export async function exportDatabase(path: string, write: PetSink): Promise<void> {
  const db = openSnapshot(findDatabase(path));
  try {
    const select = explained(path, () => prepareWithBigInts(db, EXPORT_PAGE));
    let after = INT64_MIN;
    for (;;) {
      const page = explained(path, () => readPage<Lines>(select, [after], PETS_PER_PAGE));
      if (page.count > 0n) await write(page.text, Number(page.count));
      if (page.following === null) return;
      after = page.last;
    }
  } finally {
    db.close();
  }
}

/** The columns of {@link EXPORT_PAGE}. */
interface Lines {
  text: string;
  count: bigint;
}
