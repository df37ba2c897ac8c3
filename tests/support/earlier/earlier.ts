/** Stores that earlier releases have made, each with one pet whose create had an `Idempotency-Key`. `tools/earlier.ts` has made them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createPetstore } from "../../../mod.ts";
import type { PetStore } from "../../../lib/stores/store.ts";
import type { MigratedStore } from "../../../lib/stores/earlier_requests.ts";

/** What the create was sent with. */
export const API_KEY = "pk_earlier", REX = '{"name":"Rex","categoryId":7}';

export const HEADERS = { "content-type": "application/json", "idempotency-key": "earlier" };

export interface Earlier {
  /** In this folder. */
  file: string;
  /** The last commit of the schema, or the last that told callers apart by the API key. */
  commit: string;
  /** The module of the store. */
  module: string;
  /** The name of the option for the time that a request is remembered. */
  retention: string;
}

/** Sends the request of a store again: the status, whether it was replayed, and the pet. */
export async function repeat(store: PetStore, body: string = REX, key: string = API_KEY): Promise<string> {
  const { handle } = createPetstore({ store, keys: [API_KEY, "pk_other"] });
  const headers = { ...HEADERS, authorization: `bearer  ${key}` };
  const response = await handle(new Request("http://localhost/v1/pets", { method: "POST", headers, body }));
  return `${response.status} ${response.headers.get("idempotency-replayed")} ${await response.text()}`;
}

/** Asserts that the request of a store gets its pet again, and that no other request does. */
export async function assertRemembered(store: PetStore, { file }: Earlier): Promise<void> {
  const post = (body: string, key?: string) => repeat(store, body, key);
  const stored = (id: number) => `{"id":${id},"name":"Rex","categoryId":7,"status":"available"}`;
  assert.deepEqual(await Promise.all([post(REX), post(`${REX} `)]), Array(2).fill(`201 true ${stored(1)}`));
  assert.match(await post('{"name":"Bo","categoryId":7}'), /^422 .*idempotency_key_reused/);
  // On the everyday path, nothing more is looked up.
  assert.equal(looksUpEarlier(store), !/^(postgres_[34]|sqlite_[4-6])/.test(file));
  assert.match(await post(REX, "pk_other"), new RegExp(`^201 (null|true) ${stored(2)}$`));
  // An app may let requests in without a key.
  const open = createPetstore({ store, keys: () => ({ id: "app" }) });
  const request = new Request("http://localhost/v1/pets", { method: "POST", headers: HEADERS, body: REX });
  assert.equal((await open.handle(request)).status, 201);
}

export function looksUpEarlier(store: PetStore): boolean {
  return (store as MigratedStore).looksUpEarlier === true;
}

const RETENTION = "idempotencyRetentionMs";

/** Those of version 1 know no `Idempotency-Key`. */
export const SQLITE_FILES: readonly Earlier[] = [
  { file: "sqlite_2.db", commit: "38f9be6", module: "lib/stores/sqlite.ts", retention: "idempotencyRetention" },
  { file: "sqlite_3_by_key.db", commit: "ba4f780", module: "lib/stores/sqlite/sqlite_store.ts", retention: RETENTION },
  { file: "sqlite_3.db", commit: "f1f8e98", module: "lib/stores/sqlite/sqlite_store.ts", retention: RETENTION },
  { file: "sqlite_4.db", commit: "bf94a56", module: "lib/stores/sqlite/sqlite_store.ts", retention: RETENTION },
];

export const POSTGRES_DUMPS: readonly Earlier[] = [
  { file: "postgres_1.sql", commit: "38f9be6", module: "lib/stores/postgres.ts", retention: "idempotencyRetention" },
  {
    ...{ file: "postgres_2_by_key.sql", commit: "ba4f780", retention: RETENTION },
    module: "lib/stores/postgres/postgres_store.ts",
  },
  { file: "postgres_2.sql", commit: "bf94a56", module: "lib/stores/postgres/postgres_store.ts", retention: RETENTION },
];

/** The SQL of a dump. That of ba4f780 differs from the last in the key of its request, and in words. */
export function readDump(file: string): string {
  const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
  if (file !== "postgres_2_by_key.sql") return read(file);
  return read("postgres_2.sql").replace("iDNIHIJXRmkYQt04EEWXnA", "QVybnkqIjokAaSUFOuFHvw");
}
