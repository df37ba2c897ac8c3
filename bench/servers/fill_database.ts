/** Fills an SQLite file with the catalogue, for the standalone server. */

import { createSqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { CATALOGUE_SIZE } from "../catalogue.ts";
import { fillStore } from "../fill.ts";
import { readSettings } from "./host.ts";

const { path } = readSettings<{ path: string }>();
const store = createSqliteStore(path);
await fillStore(store, CATALOGUE_SIZE);
await store.close();
console.log("filled");
