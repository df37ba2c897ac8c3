import type { PetSink } from "../sql_tables.ts";
import { readSnapshot } from "./inspection.ts";
import { requireTables } from "./schema.ts";
import { EXPORT_PAGE } from "./statements.ts";
import { prepareExact } from "./transaction.ts";

const PETS_PER_PAGE = 1000n;

/** The id after which the first page begins. Ids that another program has assigned may be negative. */
const INT64_MIN = -(2n ** 63n);

/** Writes all pets in ascending order of id, in one read transaction. The write-ahead log grows meanwhile. */
export async function exportDatabase(path: string, write: PetSink): Promise<void> {
  /** The failure of `write`. It is thrown after the snapshot, because `readSnapshot()` would explain it as one of the database. */
  let writeFailure: { error: unknown } | undefined;
  await readSnapshot(path, async (db) => {
    requireTables(db, path);
    const page = prepareExact(db, EXPORT_PAGE);
    let last = INT64_MIN;
    let following: bigint | null;
    do {
      const row = page.get(last, PETS_PER_PAGE, last) as PageRow;
      last = row.last;
      following = row.following;
      if (row.count > 0n) await write(row.text, Number(row.count)).catch((error) => writeFailure = { error });
    } while (following !== null && !writeFailure);
  });
  if (writeFailure) throw writeFailure.error;
}

type PageRow = {
  text: string;
  count: bigint;
  /** The last id of this page. */
  last: bigint;
  /** The first id after this page, or null if this is the last one. */
  following: bigint | null;
};
