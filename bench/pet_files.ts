/** Files of pets for the petstore and for the bulk loaders of the databases. */

import { join } from "node:path";
import { statusCode } from "../lib/stores/status_code.ts";
import { petAt } from "./catalogue.ts";

export interface PetFiles {
  ndjson: string;
  csv: string;
  /** CSV without a header, as the table is: id, name, category, and the number of the status. */
  rows: string;
}

/** One pet in this number has the greatest category. */
const GREATEST = 1000;

export async function writePetFiles(folder: string, count: number): Promise<PetFiles> {
  const files = { ndjson: join(folder, "pets.ndjson"), csv: join(folder, "pets.csv"), rows: join(folder, "rows.csv") };
  await Deno.writeTextFile(files.csv, "id,name,categoryId,status\n");
  const texts = { ndjson: "", csv: "", rows: "" };
  for (let id = 1; id <= count; id++) {
    const { name, categoryId, status } = petAt(id);
    const category = id % GREATEST === 0 ? String(2n ** 63n - 1n) : categoryId;
    texts.ndjson += `{"id":${id},"name":"${name}","categoryId":${category},"status":"${status}"}\n`;
    texts.csv += `${id},"${name}",${category},${status}\n`;
    texts.rows += `${id},"${name}",${category},${statusCode(status)}\n`;
    if (id % 10_000 !== 0 && id !== count) continue;
    for (const kind of ["ndjson", "csv", "rows"] as const) {
      await Deno.writeTextFile(files[kind], texts[kind], { append: true });
      texts[kind] = "";
    }
  }
  return files;
}
