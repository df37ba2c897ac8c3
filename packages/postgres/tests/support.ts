import { test as nodeTest } from "node:test";
import { createPostgresStore, postgresSchema } from "../mod.ts";
import { statementsFor } from "../lib/statements.ts";
import type { KeyedPetStore, PetStore } from "@petstore/petstore/store";
import { request } from "../../conformance/lib/store/case.ts";
import { PET } from "../../../tests/support/postgres/servers.ts";
import { testUnless, testWith } from "../../../tests/support/test_with.ts";
import { runSql, whyNoPostgres, withPool, withSchema } from "../../../tests/support/postgres/postgres.ts";

export { PET, request };

export const DAY = 86_400_000;

const define = testUnless(whyNoPostgres());

function withTables(use: (url: string, schema: string) => Promise<void>): Promise<void> {
  return withSchema(async (url, schema) => {
    await runSql(url, postgresSchema(schema));
    await use(url, schema);
  });
}

function withStore(use: (store: PetStore, url: string, schema: string) => Promise<void>): Promise<void> {
  return withSchema((url, schema) => usingStore(url, schema, (store) => use(store, url, schema)));
}

/** Tests without PostgreSQL, with a schema that does not exist yet, with its empty tables, and with a store on these. */
export const test = Object.assign((name: string, run: () => Promise<void>) => void nodeTest(name, run), {
  schema: testWith<[url: string, schema: string]>(withSchema, define),
  tables: testWith(withTables, define),
  store: testWith(withStore, define),
});

export function usingStore<T>(
  url: string,
  schema: string,
  use: (store: KeyedPetStore) => Promise<T>,
): Promise<T> {
  return withPool(url, async (client) => {
    const store = await createPostgresStore(client, { schema });
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  });
}

/** The URL of the same database for another role, whose password is `pw`. */
export function asRole(url: string, role: string): string {
  return Object.assign(new URL(url), { username: role, password: "pw" }).href;
}

export async function withRole<T>(url: string, role: string, use: (roleUrl: string) => Promise<T>): Promise<T> {
  await runSql(url, `CREATE ROLE "${role}" LOGIN PASSWORD 'pw'`);
  try {
    return await use(asRole(url, role));
  } finally {
    await runSql(url, `DROP OWNED BY "${role}"; DROP ROLE "${role}"`);
  }
}

/** The store's own statement that deletes up to `most` expired requests. */
export function forgetCall(schema: string, most: number): string {
  return statementsFor(schema).deleteExpired.replace("$1", String(most));
}
