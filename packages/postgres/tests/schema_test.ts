import assert from "node:assert/strict";
import { createPostgresStore, postgresGrants, postgresSchema } from "../mod.ts";
import { readPostgresSetting } from "../server.ts";
import { MIGRATIONS, migrationSql } from "../lib/schema/schema.ts";
import { formatPet, StoreUnavailableError } from "@petstore/petstore/store";
import { runSql, withPool } from "../../../tests/support/postgres/postgres.ts";
import { asRole, forgetCall, PET, test, usingStore } from "./support.ts";

function addOne(url: string, schema: string): Promise<bigint> {
  return usingStore(url, schema, async (store) => {
    const id = await store.create(PET);
    assert.equal(await store.get(id), formatPet({ id, ...PET }));
    return id;
  });
}

function assertRefused(url: string, schema: string, message: RegExp): Promise<void> {
  const expected = { name: "StoreUnavailableError", message };
  return withPool(url, async (pool) => await assert.rejects(createPostgresStore(pool, { schema }), expected));
}

test.schema(
  "ten servers may start at once on an empty database, whatever level of isolation their roles have",
  async (url, schema) => {
    const levels = ["read\\ committed", "repeatable\\ read", "serializable"];
    const ids = await Promise.all(Array.from({ length: 10 }, (_, i) => {
      const options = encodeURIComponent(`-c default_transaction_isolation=${levels[i % 3]}`);
      return addOne(`${url}?options=${options}`, schema);
    }));
    assert.equal(new Set(ids).size, 10);
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
    const version = `SELECT version, to_regclass('"${schema}".runs') IS NULL FROM "${schema}".schema_version`;
    await addOne(url, schema);
    const failing = [SECOND[0]!, (to: string) => `${SECOND[1]!(to)} INSERT INTO ${to}.nowhere VALUES (1);`];
    await assert.rejects(runSql(url, migrationSql(schema, failing)), /nowhere/);
    assert.deepEqual(await runSql(url, version), [["1", "t"]]);
    await Promise.all(Array.from({ length: 4 }, () => runSql(url, migrationSql(schema, SECOND))));
    const counts = `SELECT (SELECT count(*) FROM "${schema}".runs), (SELECT count(*) FROM "${schema}".pets)`;
    assert.deepEqual(await runSql(url, counts), [["1", "1"]]);
    await assertRefused(url, schema, /has version 2, but this release supports versions up to 1/);
    assert.deepEqual(await runSql(url, version), [["2", "f"]]);
  },
);

/** Schemas that are not ours, or damaged, and what is said of them. `{}` stands for the schema. */
const FOREIGN: [sql: (schema: string) => string, says: RegExp][] = [
  [() => "CREATE TABLE {}.pets (nothing integer)", /relation "pets" already exists/],
  [(schema) => `${postgresSchema(schema)}; DELETE FROM {}.schema_version`, /does not hold the version of a petstore/],
];

test.schema("a schema of another program, or a damaged one, is refused and left unchanged", async (url, schema) => {
  const columns = `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = '${schema}'
    ORDER BY 1, ordinal_position`;
  for (const [sql, says] of FOREIGN) {
    await runSql(url, `CREATE SCHEMA "${schema}"; ${sql(schema).replaceAll("{}", `"${schema}"`)}`);
    const before = await runSql(url, columns);
    await assertRefused(url, schema, says);
    // The SQL for administrators refuses it too.
    await assert.rejects(runSql(url, postgresSchema(schema)));
    assert.deepEqual(await runSql(url, columns), before);
    await runSql(url, `DROP SCHEMA "${schema}" CASCADE`);
  }
});

test.schema("a role that may not create tables uses those of an administrator", async (url, schema) => {
  const role = `role_${schema}`, roleUrl = asRole(url, role), grants = postgresGrants(`"${role}"`, schema);
  await runSql(url, `CREATE ROLE "${role}" LOGIN PASSWORD 'pw'`);
  const asServer = readPostgresSetting(`${roleUrl}?schema=${schema}`).open();
  const advice = /permission denied .*; have an administrator apply the SQL that petstore schema shows$/;
  await assert.rejects(asServer, { name: "StoreUnavailableError", message: advice, isTemporary: false });
  // By default each role may run functions; an administrator may have revoked that.
  await runSql(
    url,
    `ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC; ${postgresSchema(schema)}
     ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC`,
  );
  await assertRefused(roleUrl, schema, /permission denied for schema/);
  await runSql(url, grants.replace(/GRANT EXECUTE .*/g, "").replace("GRANT SELECT, UPDATE ON SEQUENCE", "-- "));
  await assertRefused(
    roleUrl,
    schema,
    /\(EXECUTE on add_pets, .*, SELECT on forgotten_until, UPDATE on forgotten_until\)/,
  );
  await runSql(url, grants);
  await addOne(roleUrl, schema);
  await runSql(url, `INSERT INTO "${schema}".requests VALUES ('expired', '', 1, 1)`);
  assert.deepEqual(await runSql(roleUrl, forgetCall(schema, 10)), [["1"]]);
  await runSql(url, `DROP OWNED BY "${role}"; DROP ROLE "${role}"`);
});

test.tables("a create waits for the disk, whatever the role's settings", async (url, schema) => {
  const add = `SELECT "${schema}".add_pets('{Rex}', '{7}', '{1}', '{}', '{}', '{}')`;
  const rows = await runSql(url, `SET synchronous_commit = off; BEGIN; ${add}; SHOW synchronous_commit`);
  assert.deepEqual(rows.at(-1), ["on"]);
});

test.database("a database that is not in UTF-8 is refused, and one that replicates all tables logically is not", async (url) => {
  await runSql(url, "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
  await assertRefused(new URL("latin", url).href, "petstore", /encoding LATIN1, but names need UTF8/);
  await runSql(url, "CREATE PUBLICATION everything FOR ALL TABLES");
  assert.equal(await addOne(url, "petstore"), 1n);
  await runSql(url, migrationSql("petstore", SECOND));
});

test("an object that is no pool, an invalid schema and an invalid timeout are refused", async () => {
  const pool = { connect: () => ({}), totalCount: 0 } as never;
  const client = { query() {}, connect() {}, processID: 1 } as never;
  await assert.rejects(createPostgresStore(client), /^TypeError: A PostgreSQL store takes a Pool .*, not a Client/);
  const schema = /^TypeError: .* lower-case .*, such as petstore, not "Pets;"$/;
  await assert.rejects(createPostgresStore(pool, { schema: "Pets;" }), schema);
  for (const name of ['a"; DROP TABLE pets; --', "Pets", "pg_pets", "x".repeat(49)]) {
    assert.throws(() => postgresSchema(name), TypeError);
    assert.throws(() => postgresGrants("role", name), TypeError);
  }
  await assert.rejects(createPostgresStore(pool, { timeoutMs: 0 }), /^RangeError: .*timeoutMs .* from 1 to 2147483647/);
});

/** What another program may do to the sequence of ids, and what is said then. */
const SEQUENCES: [change: string, says: RegExp][] = [
  ["ALTER SEQUENCE {} CACHE 50", /was altered, and would not give ids in order; correct it with ALTER SEQUENCE/],
  ["SELECT setval('{}', 1, false)", /is behind its table/],
  [`SELECT setval('{}', ${Number.MAX_SAFE_INTEGER})`, /has given its last id/],
];

test.store(
  "a sequence that gives no ids, or not in order, is refused at the start and at each create, and reads go on",
  async (store, url, schema) => {
    const sequence = `"${schema}".pet_ids`;
    await store.create(PET);
    for (const [change, says] of SEQUENCES) {
      await runSql(url, change.replace("{}", sequence));
      await assertRefused(url, schema, says);
      await assert.rejects(async () => await store.create(PET), StoreUnavailableError, change);
      assert.notEqual(await store.get(1n), undefined);
      await runSql(url, `ALTER SEQUENCE ${sequence} CACHE 1; SELECT setval('${sequence}', 1)`);
    }
    assert.equal(await store.create(PET), 2n);
  },
);
