import { test } from "node:test";
import { createPostgresStore } from "../../lib/stores/postgres/postgres_store.ts";
import { statementsFor } from "../../lib/stores/postgres/statements.ts";
import type { IdempotentRequest, PetDraft, PetStore } from "../../mod.ts";
import { type DriverKind, DRIVERS, runSql, whyNoPostgres, withSchema } from "../support/postgres/postgres.ts";

export const PET: PetDraft = { name: "Rex", categoryId: 7n, status: "sold" };

export const DAY = 86_400_000;

const skip = whyNoPostgres();
const why = skip ? ` (skipped: ${skip})` : "";

/** A test with a schema of its own, which does not exist yet. */
export function testSchema(name: string, run: (url: string, schema: string) => Promise<void>): void {
  test(`${name}${why}`, { skip }, () => withSchema(run));
}

export function testStore(
  name: string,
  run: (store: PetStore, url: string, schema: string) => Promise<void>,
  driver: DriverKind = DRIVERS[0]!,
): void {
  testSchema(name, (url, schema) => usingStore(driver, url, schema, (store) => run(store, url, schema)));
}

export function usingStore<T>(
  driver: DriverKind,
  url: string,
  schema: string,
  use: (store: PetStore) => Promise<T>,
): Promise<T> {
  return driver.use(url, async (client) => {
    const store = await createPostgresStore(client, { schema });
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  });
}

/** A request with a key and a fingerprint as long as real ones. */
export function request(key: string, retentionMs = DAY, fingerprint = "f"): IdempotentRequest {
  return { key: key.padEnd(22, "k"), fingerprint: fingerprint.padEnd(22, "f"), retentionMs };
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
  return statementsFor(schema).forget.replace("$1", String(most));
}
