import type { ExportFormat, PetSink } from "../pet_exporter.ts";
import { readSnapshot } from "./inspection.ts";
import { requireTables } from "./schema.ts";
import { exportPage } from "./statements.ts";
import { prepareExact } from "./transaction.ts";

const PAGE = 1000n;

/** Writes all pets in ascending order of id, in one read transaction. The write-ahead log grows meanwhile. */
export async function exportDatabase(path: string, format: ExportFormat, write: PetSink): Promise<void> {
  let fault: { error: unknown } | undefined;
  await readSnapshot(path, async (db) => {
    requireTables(db, path);
    const page = prepareExact(db, exportPage(format));
    const greatestId = prepareExact(db, "SELECT max(id) AS id FROM pets").get()?.["id"] as bigint | null;
    for (let last = INT64_MIN; greatestId !== null && last < greatestId && !fault;) {
      const row = page.get(last, last, PAGE) as { text: string; count: bigint; last: bigint };
      last = row.last;
      await write(row.text, Number(row.count)).catch((error) => fault = { error });
    }
  });
  if (fault) throw fault.error;
}

/** Ids that another program has assigned may be negative. */
const INT64_MIN = -(2n ** 63n);
