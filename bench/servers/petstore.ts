/** The petstore, on the usual server of the runtime. */

import process from "node:process";
import { createMemoryStore, createPetstore } from "../../mod.ts";
import type { PetStore } from "../../lib/stores/store.ts";
import { CATALOGUE_SIZE, KEY } from "../catalogue.ts";
import { fillStore } from "../fill.ts";
import { listen, readSettings } from "./host.ts";

export interface PetstoreSettings {
  store: "memory" | "sqlite";
  /** The database file; it is filled if it is empty. */
  path: string;
}

const { store: kind, path = "" } = readSettings<Partial<PetstoreSettings>>();
const store = await openStore();
if (await store.get(1n) === undefined) await fillStore(store, CATALOGUE_SIZE);
await listen(createPetstore({ keys: [KEY], store }));
process.on("SIGTERM", async () => {
  await store.close();
  process.exit(0);
});

async function openStore(): Promise<PetStore> {
  if (kind === "memory") return createMemoryStore();
  // Imported only if used: it loads node:sqlite.
  return (await import("../../lib/stores/sqlite/create_sqlite_store.ts")).createSqliteStore(path);
}
