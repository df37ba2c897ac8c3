/** The tables of the PostgreSQL store: who makes them, and what is left alone. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createPostgresStore, postgresGrants, postgresSchema } from "../../lib/stores/postgres.ts";
import { formatPet, StoreUnavailableError } from "../../mod.ts";
import { type DriverKind, DRIVERS, runSql, whyNoPostgres, withSchema } from "../support/postgres.ts";

const skip = whyNoPostgres();
const why = skip ? ` (skipped: ${skip})` : "";
const PET = { name: "Rex", categoryId: 7n, status: "sold" } as const;

/** Opens a store, adds a pet and gives its id. */
function addOne(driver: DriverKind, url: string, schema: string): Promise<bigint> {
  return driver.use(url, async (client) => {
    const store = await createPostgresStore(client, { schema });
    const id = await store.create(PET);
    assert.equal(await store.get(id), formatPet({ id, ...PET }));
    await store.close();
    return id;
  });
}

function refuses(url: string, schema: string, message: RegExp): Promise<void> {
  return DRIVERS[0]!.use(url, async (client) => {
    await assert.rejects(createPostgresStore(client, { schema }), (error) => {
      assert.ok(error instanceof StoreUnavailableError);
      assert.match(error.message, message);
      return true;
    });
  });
}

test(
  `ten servers may start at once on an empty database, and later ones keep what is there${why}`,
  { skip },
  () =>
    withSchema(async (url, schema) => {
      const drivers = Array.from({ length: 10 }, (_, i) => DRIVERS[i % DRIVERS.length]!);
      const ids = await Promise.all(drivers.map((driver) => addOne(driver, url, schema)));
      assert.deepEqual(ids.toSorted((a, b) => Number(a - b)), drivers.map((_, i) => BigInt(i + 1)));
      assert.equal(await addOne(DRIVERS[0]!, url, schema), 11n);
      await runSql(url, postgresSchema(schema));
      assert.equal(await addOne(DRIVERS[1]!, url, schema), 12n);
    }),
);

test(
  `tables of a newer release or of another program are refused and left as they are${why}`,
  { skip },
  () =>
    withSchema(async (url, schema) => {
      await runSql(url, `CREATE SCHEMA "${schema}"; CREATE TABLE "${schema}".pets (nothing integer)`);
      await refuses(url, schema, /another program/);
      await runSql(url, `DROP TABLE "${schema}".pets; ${postgresSchema(schema)}`);
      await runSql(url, `UPDATE "${schema}".schema_version SET version = 99`);
      await refuses(url, schema, /has version 99, but this release knows only those up to 2; use the newer release/);
      assert.deepEqual(await runSql(url, `SELECT version FROM "${schema}".schema_version`), [["99"]]);
    }),
);

test(
  `a role that may make no tables works with those that an administrator has made${why}`,
  { skip },
  () =>
    withSchema(async (url, schema) => {
      const role = `role_${schema}`;
      await runSql(url, `CREATE ROLE "${role}" LOGIN PASSWORD 'pw'`);
      const other = new URL(url);
      other.username = role;
      other.password = "pw";
      try {
        await refuses(other.href, schema, /this role may not do it; have the SQL of postgresSchema\(\) and/);
        await runSql(url, postgresSchema(schema) + postgresGrants(`"${role}"`, schema));
        for (const driver of DRIVERS) await addOne(driver, other.href, schema);
      } finally {
        await runSql(url, `DROP OWNED BY "${role}"; DROP ROLE "${role}"`);
      }
    }),
);

test(`a database that cannot hold every name is refused${why}`, { skip }, () =>
  withSchema(async (url, schema) => {
    await runSql(url, `CREATE DATABASE "${schema}" ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`);
    const latin = new URL(url);
    latin.pathname = `/${schema}`;
    try {
      await refuses(latin.href, schema, /encoding LATIN1, but names need UTF8/);
    } finally {
      await runSql(url, `DROP DATABASE "${schema}" WITH (FORCE)`);
    }
  }));

test("what is no client, and a schema that would need quotes, are refused", async () => {
  await assert.rejects(createPostgresStore({} as never), TypeError);
  await assert.rejects(createPostgresStore({ query: () => ({}) } as never, { schema: 'a"; DROP' }), TypeError);
  assert.throws(() => postgresSchema("Pets"), TypeError);
});
