/** Imports and exports of an SQLite file, without the program: tests/server/transfer has the commands. */

import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import type { ImportChunk } from "../../../lib/stores/pet_importer.ts";
import { exportDatabase } from "../../../lib/stores/sqlite/exporter.ts";
import { openSqliteImporter } from "../../../lib/stores/sqlite/importer.ts";
import { type PetDraft, type PetStatus, StoreUnavailableError } from "../../../lib/stores/store.ts";
import { execute, test } from "./support.ts";

const STATUSES: PetStatus[] = ["available", "pending", "sold"];
const PETS: PetDraft[] = Array.from({ length: 1200 }, (_, i) => ({
  name: `"Rex", ${i}`,
  categoryId: 2n ** 63n - 1n - BigInt(i),
  status: STATUSES[i % 3]!,
}));

function chunk(parts: Partial<ImportChunk> = {}): ImportChunk {
  return { parent: "p".repeat(43), digest: "a".repeat(43), records: 1300, pets: PETS, ...parts };
}

test.path("an importer writes nothing to a file that was moved", async (path) => {
  const importer = openSqliteImporter(path);
  renameSync(path, `${path}.moved`);
  assert.throws(() => importer.add(chunk(), 0), StoreUnavailableError);
  await importer.close();
});

test.path("an export begins with negative ids, tells how far it is, and ends with the error of its reader", async (path) => {
  const importer = openSqliteImporter(path);
  await importer.add(chunk(), 0);
  await importer.close();
  execute(path, "INSERT INTO pets VALUES (-5, 'first', 1, 0)");
  const told: unknown[] = [];
  const write = (text: string, pets: number) => Promise.resolve(void told.push([text.split("\n")[0], pets]));
  await exportDatabase(path, "csv", write);
  assert.deepEqual(told, [['-5,"first",1,available', 1000], [
    '1000,"""Rex"", 999",' + (2n ** 63n - 1000n) + ",available",
    201,
  ]]);
  await assert.rejects(exportDatabase(path, "csv", () => Promise.reject(new Error("full"))), /^Error: full$/);
  execute(`${path}.other`, "CREATE TABLE pets (id, name, category_id, status)");
  await assert.rejects(exportDatabase(`${path}.other`, "csv", write), StoreUnavailableError);
});
