/** Fills an SQLite file with the catalogue, for the standalone server. */

import { createSqliteStore } from "../../lib/stores/sqlite/create_sqlite_store.ts";
import { fillStore } from "../fill.ts";
import { readSettings } from "./host.ts";

const { path, pets } = readSettings<{ path: string; pets: number }>();
const store = createSqliteStore(path);
await fillStore(store, pets);
await store.close();
console.log("filled");
