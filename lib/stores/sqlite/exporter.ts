import { PET_JSON, type PetSink } from "../sql_tables.ts";
import { explained } from "./errors.ts";
import { findDatabase, openSnapshot } from "./inspection.ts";
import { INT64_MAX } from "./pet_reader.ts";
import { prepareExact } from "./transaction.ts";

/**
 * Reads a page as the lines of an export, and counts them. It finds the end of the page as `SELECT_PAGE` does, and a
 * test checks its plan too.
 *
 * Parameters: after, limit, after.
 */
export const EXPORT_PAGE = `
  SELECT group_concat(${PET_JSON}, char(10)) AS text, count(*) AS count, max(id) AS last, following
  FROM (
    SELECT (
      SELECT id FROM pets
      WHERE id > ?        -- after
      ORDER BY id
      LIMIT 1 OFFSET ?    -- limit
    ) AS following
  ) CROSS JOIN pets
  WHERE id > ?            -- after
    AND id <= ifnull(following - 1, ${INT64_MAX})  -- following is null on the last page`;

const PETS_PER_PAGE = 1000n;

/** The id after which the first page begins. Ids that another program has assigned may be negative. */
const INT64_MIN = -(2n ** 63n);

/**
 * Writes all pets in ascending order of id, in one read transaction. The write-ahead log grows meanwhile.
 *
 * @throws {StoreUnavailableError} If the file cannot be read.
 * @throws What `write` throws.
 */
export async function exportDatabase(path: string, write: PetSink): Promise<void> {
  const db = openSnapshot(findDatabase(path));
  try {
    const select = explained(path, () => prepareExact(db, EXPORT_PAGE));
    let after = INT64_MIN;
    for (;;) {
      const page = explained(path, () => select.get(after, PETS_PER_PAGE, after)) as unknown as Page;
      if (page.count > 0n) await write(page.text, Number(page.count));
      if (page.following === null) return;
      after = page.last;
    }
  } finally {
    db.close();
  }
}

interface Page {
  text: string;
  count: bigint;
  /** The last id of this page. */
  last: bigint;
  /** The first id after this page, or null if this is the last one. */
  following: bigint | null;
}
