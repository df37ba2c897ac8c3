import assert from "node:assert/strict";
import { createPostgresStore, postgresGrants, postgresSchema } from "../mod.ts";
import { migrationSql } from "../lib/schema/schema.ts";
import { MIGRATIONS } from "../lib/schema/tables.ts";
import { formatPet, StoreUnavailableError } from "@petstore/petstore/store";
import { runSql, withPool } from "../../../tests/support/postgres/postgres.ts";
import { forgetCall, PET, test, usingStore, withRole } from "./support.ts";

function addOne(url: string, schema: string): Promise<bigint> {
  return usingStore(url, schema, async (store) => {
    const id = await store.create(PET);
    assert.equal(await store.get(id), formatPet({ id, ...PET }));
    return id;
  });
}

function assertRefused(url: string, schema: string, message: RegExp): Promise<void> {
  return withPool(url, async (client) => {
    await assert.rejects(createPostgresStore(client, { schema }), (error) => {
      assert.ok(error instanceof StoreUnavailableError);
      assert.match(error.message, message);
      return true;
    });
  });
}

test.schema(
  "ten servers may start at once on an empty database, whatever level of isolation their roles have, and later ones keep the pets",
  async (url, schema) => {
    const levels = ["read committed", "repeatable read", "serializable"];
    const ids = await Promise.all(Array.from({ length: 10 }, (_, i) => {
      const role = new URL(url);
      role.searchParams.set("options", `-c default_transaction_isolation=${levels[i % 3]!.replace(" ", "\\ ")}`);
      return addOne(role.href, schema);
    }));
    assert.equal(new Set(ids).size, 10);
    await runSql(url, postgresSchema(schema));
    // A create that conflicted and was repeated leaves a gap.
    const next = await addOne(url, schema);
    assert.ok(next >= 11n && ids.every((id) => id < next));
  },
);

/** The migrations of a made-up later program. */
const SECOND = [
  ...MIGRATIONS,
  (to: string) => `CREATE TABLE ${to}.runs (n integer); INSERT INTO ${to}.runs VALUES (1);`,
];

test.schema(
  "a migration that fails changes nothing, and the next one runs once: an earlier program then refuses the schema",
  async (url, schema) => {
    assert.equal(await addOne(url, schema), 1n);
    const read = (what: string) => runSql(url, `SELECT ${what}`);
    const failing = [SECOND[0]!, (to: string) => `${SECOND[1]!(to)} INSERT INTO ${to}.nowhere VALUES (1);`];
    await assert.rejects(runSql(url, migrationSql(schema, failing)), /nowhere/);
    assert.deepEqual(await read(`version FROM "${schema}".schema_version`), [["1"]]);
    assert.deepEqual(await read(`to_regclass('"${schema}".runs')`), [[null]]);
    assert.equal(await addOne(url, schema), 2n);
    await Promise.all(Array.from({ length: 4 }, () => runSql(url, migrationSql(schema, SECOND))));
    const counts = `(SELECT count(*) FROM "${schema}".runs), (SELECT count(*) FROM "${schema}".pets)`;
    assert.deepEqual(await read(counts), [["1", "2"]]);
    await assertRefused(url, schema, /has version 2, but this release supports versions up to 1/);
    assert.deepEqual(await read(`version FROM "${schema}".schema_version`), [["2"]]);
  },
);

/** Schemas that are not ours, or damaged, and what they lack. `{}` stands for the schema. */
const FOREIGN: [sql: (schema: string) => string, lacks: RegExp][] = [
  [
    () => "CREATE TABLE {}.pets (nothing integer)",
    /lacks schema_version, requests, pet_ids, so another .*; it was left/,
  ],
  [() => "CREATE TABLE {}.schema_version (installed_rank integer, version text)", /lacks pets, requests, pet_ids, so /],
  [(schema) => `${postgresSchema(schema)}; DELETE FROM {}.schema_version`, /a version of 1 or more, not none;/],
  [(schema) => `${postgresSchema(schema)}; INSERT INTO {}.schema_version VALUES (2)`, /1 or more, not 1 and 2;/],
];

test.schema("a schema of another program, or a damaged one, is refused and left unchanged", async (url, schema) => {
  const tables = `SELECT query_to_xml('SELECT * FROM "${schema}".' || relname, true, false, '')::text FROM pg_class
    WHERE relnamespace = '"${schema}"'::regnamespace AND relkind = 'r'`;
  for (const [sql, lacks] of FOREIGN) {
    await runSql(url, `CREATE SCHEMA "${schema}"; ${sql(schema).replaceAll("{}", `"${schema}"`)}`);
    const before = await runSql(url, tables);
    await assertRefused(url, schema, lacks);
    // The SQL for administrators refuses it too.
    await assert.rejects(runSql(url, postgresSchema(schema)));
    assert.deepEqual(await runSql(url, tables), before);
    await runSql(url, `DROP SCHEMA "${schema}" CASCADE`);
  }
});

test.schema(
  "a role that may not create tables uses those of an administrator",
  (url, schema) =>
    withRole(url, `role_${schema}`, async (roleUrl) => {
      const role = `"role_${schema}"`;
      const advice = /this role lacks the privilege; have an administrator apply the SQL of postgresSchema\(\) and/;
      await assertRefused(roleUrl, schema, advice);
      // By default each role may run functions; an administrator may have revoked that.
      await runSql(
        url,
        `ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC; ${postgresSchema(schema)}
       ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC`,
      );
      await assertRefused(roleUrl, schema, /role lacks privileges .*denied for schema.* postgresGrants\(\)/);
      const grants = postgresGrants(role, schema);
      await runSql(url, grants.replace(/GRANT EXECUTE .*/g, "").replace("GRANT SELECT, UPDATE ON SEQUENCE", "-- "));
      for (const lacking of ["SELECT on forgotten_until", "UPDATE on forgotten_until", "EXECUTE on add_pets"]) {
        await assertRefused(roleUrl, schema, new RegExp(`\\(.*${lacking}.*\\)`));
      }
      await runSql(url, grants);
      await addOne(roleUrl, schema);
      assert.deepEqual(await runSql(roleUrl, forgetCall(schema, 10)), [["0"]]);
    }),
);

test.tables(
  "a create waits for the disk and a deletion does not, whatever the role's settings",
  async (url, schema) => {
    const add = `SELECT "${schema}".add_pets('{Rex}', '{7}', '{1}', '{}', '{}', '{}')`;
    for (const [call, setting] of [[add, "on"], [forgetCall(schema, 1), "off"]] as const) {
      for (const given of ["on", "off"]) {
        const rows = await runSql(url, `SET synchronous_commit = ${given}; BEGIN; ${call}; SHOW synchronous_commit`);
        assert.equal(rows.flat().at(-1), setting);
      }
    }
  },
);

/** A test with a database of its own, made with these options. */
function testDatabase(name: string, options: string, run: (url: string) => Promise<void>): void {
  test.schema(name, async (url, schema) => {
    await runSql(url, `CREATE DATABASE "${schema}" ${options}`);
    try {
      await run(Object.assign(new URL(url), { pathname: `/${schema}` }).href);
    } finally {
      await runSql(url, `DROP DATABASE "${schema}" WITH (FORCE)`);
    }
  });
}

const LATIN = "ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'";

testDatabase("a database that is not in UTF-8 is refused", LATIN, (url) => {
  return assertRefused(url, "petstore", /encoding LATIN1, but names need UTF8/);
});

testDatabase("the tables are made and migrated in a database that replicates all tables logically", "", async (url) => {
  await runSql(url, "CREATE PUBLICATION everything FOR ALL TABLES");
  assert.equal(await addOne(url, "petstore"), 1n);
  await runSql(url, migrationSql("petstore", SECOND));
});

const POOL = { connect: () => ({}), totalCount: 0 };

/** What createPostgresStore() refuses. */
const INVALID: [given: unknown[], name: string, message: RegExp][] = [
  [[{ query() {}, connect() {}, processID: 1 }], "TypeError", /^A PostgreSQL store takes a Pool .*, not a Client/],
  [[POOL, { schema: 'a"; DROP' }], "TypeError", /lower-case .*, such as petstore, not "a\\"; DROP"$/],
  [[POOL, { timeoutMs: 0 }], "RangeError", /^Option timeoutMs must be a whole number from 1 to 2147483647, not 0$/],
];

test("an object that is no pool, an invalid schema and an invalid timeout are refused", async () => {
  for (const [given, name, message] of INVALID) {
    await assert.rejects(createPostgresStore(...given as [never]), { name, message });
  }
});

/** What another program may do to the sequence of ids, and what is said then. */
const SEQUENCES: [change: string, says: RegExp][] = [
  ["ALTER SEQUENCE {} CACHE 50", /was altered, and would not give ids in order; correct it with ALTER SEQUENCE/],
  ["ALTER SEQUENCE {} INCREMENT 2", /was altered, /],
  ["ALTER SEQUENCE {} NO MAXVALUE", /was altered, /],
  ["SELECT setval('{}', 1, false)", /is behind its table/],
  [`SELECT setval('{}', ${Number.MAX_SAFE_INTEGER})`, /has given its last id/],
];

test.store(
  "a sequence that gives no ids, or not in order, is refused at the start and at each create, and reads go on",
  async (store, url, schema) => {
    const sequence = `"${schema}".pet_ids`, max = Number.MAX_SAFE_INTEGER;
    await store.create(PET);
    for (const [change, says] of SEQUENCES) {
      await runSql(url, change.replace("{}", sequence));
      await assertRefused(url, schema, says);
      await assert.rejects(async () => await store.create(PET), StoreUnavailableError, change);
      assert.notEqual(await store.get(1n), undefined);
      await runSql(
        url,
        `ALTER SEQUENCE ${sequence} INCREMENT 1 CACHE 1 MAXVALUE ${max}; SELECT setval('${sequence}', 1)`,
      );
    }
    assert.equal(await store.create(PET), 2n);
  },
);
