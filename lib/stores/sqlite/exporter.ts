import type { PetSink } from "../pet_rows.ts";
import { readSnapshot } from "./inspection.ts";
import { requireTables } from "./schema.ts";
import { EXPORT_PAGE } from "./statements.ts";
import { prepareExact } from "./transaction.ts";

const PAGE = 1000n;

/** Writes all pets in ascending order of id, in one read transaction. The write-ahead log grows meanwhile. */
export async function exportDatabase(path: string, write: PetSink): Promise<void> {
  let fault: { error: unknown } | undefined;
  await readSnapshot(path, async (db) => {
    requireTables(db, path);
    const page = prepareExact(db, EXPORT_PAGE);
    let last = INT64_MIN, next: bigint | null;
    do {
      const row = page.get(last, PAGE, last) as { text: string; count: bigint; last: bigint; next: bigint | null };
      ({ last, next } = row);
      if (row.count > 0n) await write(row.text, Number(row.count)).catch((error) => fault = { error });
    } while (next !== null && !fault);
  });
  if (fault) throw fault.error;
}

/** Ids that another program has assigned may be negative. */
const INT64_MIN = -(2n ** 63n);
