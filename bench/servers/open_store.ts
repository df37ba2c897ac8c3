/** Opens a database, answers one request and prints the time in milliseconds. */

import { createPetstore } from "../../mod.ts";
import { createSqliteStore } from "../../lib/stores/sqlite/create_sqlite_store.ts";
import { AUTHORIZATION, KEY } from "../catalogue.ts";
import { readSettings } from "./host.ts";

const { path } = readSettings<{ path: string }>();
const request = new Request("http://localhost/v1/pets", { headers: { authorization: AUTHORIZATION } });
const begin = performance.now();
const store = createSqliteStore(path);
const response = await createPetstore({ keys: [KEY], store }).handle(request);
await response.text();
const milliseconds = performance.now() - begin;
await store.close();
console.log(response.status === 200 ? milliseconds : NaN);
