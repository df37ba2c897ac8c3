/** Fills an SQLite file with the catalogue, for the standalone server. */

import { createSqliteStore } from "../../lib/stores/sqlite/create_sqlite_store.ts";
import { petAt } from "../catalogue.ts";
import { readSettings } from "./host.ts";

/** How many creates are sent at once. The store commits them together. */
const BATCH = 20_000;

const { path, pets } = readSettings<{ path: string; pets: number }>();
const store = createSqliteStore(path);
for (let start = 1; start <= pets; start += BATCH) {
  const ids = Array.from({ length: Math.min(BATCH, pets + 1 - start) }, (_, i) => start + i);
  await Promise.all(ids.map((id) => store.create({ ...petAt(id), categoryId: BigInt(petAt(id).categoryId) })));
}
await store.close();
console.log("filled");
