import assert from "node:assert/strict";
import { test as nodeTest } from "node:test";
import { createPostgresStore, postgresSchema } from "../mod.ts";
import { deleteStatement } from "../lib/statements.ts";
import type { KeyedPetStore } from "@petstore/petstore/store";
import { request } from "../../conformance/lib/store/case.ts";
import { PET, withDatabase } from "../../../tests/support/postgres/servers.ts";
import { testUnless, testWith } from "../../../tests/support/test_with.ts";
import { runSql, whyNoPostgres, withPool, withSchema } from "../../../tests/support/postgres/postgres.ts";
import { whyNoCluster } from "../../../tests/support/postgres/cluster.ts";

export { PET, request };

export const DAY = 86_400_000;

type Use<Given extends unknown[]> = (...given: Given) => Promise<void>;

function withTables(use: Use<[url: string, schema: string]>): Promise<void> {
  return withSchema(async (url, schema) => {
    await runSql(url, postgresSchema(schema));
    await use(url, schema);
  });
}

function withStore(use: Use<[store: KeyedPetStore, url: string, schema: string]>): Promise<void> {
  return withSchema((url, schema) => usingStore(url, schema, (store) => use(store, url, schema)));
}

/**
 * Tests without PostgreSQL, with a database of their own, a schema that does not exist yet, its
 * empty tables, and a store on these.
 */
export const test = Object.assign((name: string, run: () => Promise<void>) => void nodeTest(name, run), {
  database: testWith<[url: string]>(withDatabase, testUnless(whyNoCluster())),
  schema: testWith<[url: string, schema: string]>(withSchema, testUnless(whyNoPostgres())),
  tables: testWith(withTables, testUnless(whyNoPostgres())),
  store: testWith(withStore, testUnless(whyNoPostgres())),
});

export function usingStore<T>(url: string, schema: string, use: (store: KeyedPetStore) => Promise<T>): Promise<T> {
  return withPool(url, async (pool) => {
    await using store = await createPostgresStore(pool, { schema });
    return await use(store);
  });
}

/** The URL of the same database for another role, whose password is `pw`. */
export function asRole(url: string, role: string): string {
  return Object.assign(new URL(url), { username: role, password: "pw" }).href;
}

/** The store's own statement that deletes up to `most` expired requests. */
export function forgetCall(schema: string, most: number): string {
  return deleteStatement(schema).replace("$1", String(most));
}

/** The tables, with commits of uneven length, as with several busy disks and networks. */
export function unevenSchema(schema: string): string {
  const end = "RETURN QUERY", parts = postgresSchema(schema).split(end);
  assert.equal(parts.length, 2);
  return parts.join(`PERFORM pg_sleep(random() * 0.004); ${end}`);
}
