import type { DatabaseSync } from "node:sqlite";
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
    for (const { text, count } of readPages(db)) {
      try {
        await write(text, Number(count));
      } catch (error) {
        writeFailure = { error };
        return;
      }
    }
  });
  if (writeFailure) throw writeFailure.error;
}

interface Page {
  text: string;
  count: bigint;
  /** The last id of this page. */
  last: bigint;
  /** The first id after this page, or null if this is the last one. */
  following: bigint | null;
}

/** Reads all pages that have pets. */
function* readPages(db: DatabaseSync): Generator<Page> {
  const select = prepareExact(db, EXPORT_PAGE);
  let after = INT64_MIN;
  for (;;) {
    const page = select.get(after, PETS_PER_PAGE, after) as unknown as Page;
    if (page.count > 0n) yield page;
    if (page.following === null) return;
    after = page.last;
  }
}
