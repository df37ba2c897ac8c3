/** The tables of the PostgreSQL store: who makes them, and what is left alone. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createPostgresStore, postgresGrants, postgresSchema } from "../../lib/stores/postgres/postgres_store.ts";
import { statementsFor } from "../../lib/stores/postgres/statements.ts";
import { formatPet, StoreUnavailableError } from "../../mod.ts";
import { type DriverKind, DRIVERS, runSql, whyNoPostgres, withSchema } from "../support/postgres/postgres.ts";

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
      await refuses(url, schema, /has a relation pets of another program; it was left as it is/);
      await runSql(url, `DROP TABLE "${schema}".pets; ${postgresSchema(schema)}`);
      await runSql(url, `UPDATE "${schema}".schema_version SET version = 99`);
      await refuses(url, schema, /has version 99, but this release knows only those up to 2; use the newer release/);
      assert.deepEqual(await runSql(url, `SELECT version FROM "${schema}".schema_version`), [["99"]]);
    }),
);

/** What a table schema_version may be that is none of ours, and how it is refused. */
const FOREIGN: readonly (readonly [make: string, message: RegExp])[] = [
  ["(installed_rank integer, version text); INSERT INTO {} VALUES (1, '1.0')", /schema_version of another program/],
  ["(version text); INSERT INTO {} VALUES ('1')", /schema_version of another program/],
  ["(version integer); INSERT INTO {} VALUES (1)", /has a table schema_version, but lacks pets, requests, pet_ids/],
  ["(version integer); INSERT INTO {} VALUES (2)", /has a table schema_version, but lacks pets, requests, pet_ids/],
  ["(version integer)", /has a table schema_version, but lacks pets, requests, pet_ids/],
];

test(
  `a schema_version of another program, or one that is empty or damaged, is refused and left as it is${why}`,
  { skip },
  () =>
    withSchema(async (url, schema) => {
      const versions = `"${schema}".schema_version`;
      const content = () => runSql(url, `SELECT version::text FROM ${versions}`);
      await runSql(url, `CREATE SCHEMA "${schema}"`);
      for (const [make, message] of FOREIGN) {
        await runSql(
          url,
          `CREATE TABLE ${versions} ${make.replace("{}", versions)}`,
        );
        const before = await content();
        await refuses(url, schema, message);
        assert.deepEqual(await content(), before);
        assert.deepEqual(await runSql(url, `SELECT to_regclass('"${schema}".pets')`), [[null]]);
        await runSql(url, `DROP TABLE ${versions}`);
      }
      await runSql(url, postgresSchema(schema));
      for (const damage of ["DELETE FROM {}", "INSERT INTO {} VALUES (0)", "INSERT INTO {} VALUES (2)"]) {
        await runSql(url, damage.replace("{}", versions));
        const before = await content();
        await refuses(url, schema, /has (no row|the version 0|2 rows), but a petstore's has one row from 1 on/);
        // An administrator's SQL does no more.
        await assert.rejects(runSql(url, postgresSchema(schema)), /does not hold the version of a petstore/);
        assert.deepEqual(await content(), before);
      }
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
        // Functions may be run by all, unless an administrator has made an end of that.
        await runSql(
          url,
          `ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC; ${postgresSchema(schema)}
           ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC`,
        );
        await refuses(other.href, schema, /role lacks privileges .*permission denied for schema.* postgresGrants\(\)/);
        const grants = postgresGrants(`"${role}"`, schema);
        await runSql(url, grants.replace(/GRANT EXECUTE .*/g, "").replace("GRANT SELECT, UPDATE ON SEQUENCE", "-- "));
        const lacking =
          "SELECT on forgotten_until, UPDATE on forgotten_until, EXECUTE on add_pets, EXECUTE on check_ids, " +
          "EXECUTE on forget_requests";
        await refuses(other.href, schema, new RegExp(`\\(${lacking}\\)`));
        // A role that is set to read only needs no more than it has.
        await runSql(url, `ALTER ROLE "${role}" SET default_transaction_read_only = on`);
        await DRIVERS[0]!.use(other.href, async (client) => (await createPostgresStore(client, { schema })).check());
        await runSql(url, `ALTER ROLE "${role}" RESET default_transaction_read_only; ${grants}`);
        for (const driver of DRIVERS) await addOne(driver, other.href, schema);
        const { forget } = statementsFor(schema);
        assert.deepEqual(await runSql(other.href, forget.replace("$1", "10")), [["0"]]);
      } finally {
        await runSql(url, `DROP OWNED BY "${role}"; DROP ROLE "${role}"`);
      }
    }),
);

test(
  `a pet waits for the disk, and what is forgotten does not, whatever is set for the role${why}`,
  { skip },
  () =>
    withSchema(async (url, schema) => {
      await runSql(url, postgresSchema(schema));
      const add = `SELECT "${schema}".add_pets('{Rex}', '{7}', '{1}', '{}', '{}', '{}')`;
      for (const [call, setting] of [[add, "on"], [statementsFor(schema).forget.replace("$1", "1"), "off"]] as const) {
        for (const given of ["on", "off"]) {
          const rows = await runSql(url, `SET synchronous_commit = ${given}; BEGIN; ${call}; SHOW synchronous_commit`);
          assert.equal(rows.flat().at(-1), setting);
        }
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
