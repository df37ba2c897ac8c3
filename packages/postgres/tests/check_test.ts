/** The command `check` on PostgreSQL. */

import assert from "node:assert/strict";
import { postgresGrants, postgresSchema } from "../mod.ts";
import { inspectPostgresStore } from "../lib/check.ts";
import { Database } from "../lib/client/database.ts";
import { MIGRATIONS } from "../lib/schema/tables.ts";
import { runSql, withPool } from "../../../tests/support/postgres/postgres.ts";
import { runHere } from "../../../tests/support/server/in_process.ts";
import type { ServerExit } from "../../../tests/support/server/server_process.ts";
import { freePort } from "../../../tests/support/system/free_port.ts";
import { until } from "../../../tests/support/until.ts";
import { test, withRole } from "./support.ts";

function check(url: string, schema: string): Promise<ServerExit> {
  return runHere(["check"], { PETSTORE_STORE: `${url}?schema=${schema}` });
}

async function assertFault(url: string, schema: string, shows: RegExp, wanted = 2): Promise<void> {
  const { status, stdout, stderr } = await check(url, schema);
  assert.match(stderr, /^petstore: [^\n]+\n$/);
  assert.match(stderr, shows);
  assert.deepEqual([status, stdout], [wanted, ""]);
}

const countRelations = (schema: string) =>
  `SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('"${schema}"')`;

test.schema("check tells whether the tables are there, and makes none", async (url, schema) => {
  await assertFault(url, schema, /does not exist, or has no tables/);
  assert.deepEqual(await runSql(url, countRelations(schema)), [["0"]]);
  await runSql(url, postgresSchema(schema));
  const { status, stdout, stderr } = await check(url, schema);
  assert.match(
    stdout,
    new RegExp(`^postgres://\\S+ \\(schema ${schema}\\) is sound: schema version ${MIGRATIONS.length}\\n$`),
  );
  assert.deepEqual([status, stderr], [0, ""]);
  await runSql(url, `UPDATE "${schema}".schema_version SET version = 99`);
  await assertFault(url, schema, /has version 99/);
});

test.schema("check tells what rights a role lacks, and that a sequence is behind its table", async (url, schema) => {
  await runSql(url, postgresSchema(schema));
  await withRole(url, `${schema}_check`, async (roleUrl) => {
    await assertFault(roleUrl, schema, /lacks privileges/);
    await runSql(url, `GRANT USAGE ON SCHEMA "${schema}" TO "${schema}_check"`);
    await runSql(url, `GRANT SELECT ON ALL TABLES IN SCHEMA "${schema}" TO "${schema}_check"`);
    await assertFault(roleUrl, schema, /lacks privileges .*INSERT on pets/);
  });
  await runSql(url, `INSERT INTO "${schema}".pets (id, name, category_id, status) VALUES (7, 'Rex', 7, 0)`);
  await assertFault(url, schema, /sequence .*pet_ids is behind its table/);
});

/** Damage to the schema, and what is missing then. */
const DAMAGE: readonly (readonly [damage: string, missing: string])[] = [
  ["ALTER TABLE {}.pets ALTER name DROP NOT NULL", "column pets.name text"],
  ["ALTER TABLE {}.api_keys ALTER position DROP IDENTITY", "column api_keys.position bigint always"],
  ["ALTER TABLE {}.requests SET UNLOGGED", "write-ahead log for requests"],
  ["ALTER TABLE {}.pets DROP CONSTRAINT pets_status_check", "CHECK ((status = ANY (ARRAY[0, 1, 2]))) on pets"],
  ["ALTER TABLE {}.pets DROP CONSTRAINT pets_pkey", "unique index on pets (id)"],
  ["DROP INDEX {}.pets_by_status; CREATE INDEX ON {}.pets (status, id) WHERE id < 9", "index on pets (status, id)"],
  ["ALTER TABLE {}.requests DROP CONSTRAINT requests_pkey", "unique index on requests (key)"],
  [
    // The construction of an index leaves it so if it finds a key twice.
    "UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{}.requests_by_expiry'::regclass",
    "index on requests (expires_at)",
  ],
  ["ALTER SEQUENCE {}.pet_ids CACHE 10", "sequence pet_ids in steps of 1"],
  ["ALTER FUNCTION {}.forget_requests RENAME TO forget", "function forget_requests"],
];

test.schema(
  "check tells which columns, constraints and indexes are missing or changed, and which functions are missing",
  async (url, schema) => {
    await runSql(url, postgresSchema(schema));
    // An index of the operator does no harm, and neither does a table that refers to pets, or another way to store an index.
    const notes = `"${schema}".notes`;
    await runSql(
      url,
      `CREATE INDEX ON "${schema}".pets (name); CREATE TABLE ${notes} (pet bigint REFERENCES "${schema}".pets (id));
      ALTER INDEX "${schema}".pets_by_status SET (fillfactor = 90)`,
    );
    assert.equal((await check(url, schema)).status, 0);
    await withRole(url, `${schema}_quoting`, async (roleUrl) => {
      await runSql(url, `ALTER ROLE "${schema}_quoting" SET quote_all_identifiers = on`);
      await runSql(url, postgresGrants(`"${schema}_quoting"`, schema));
      assert.equal((await check(roleUrl, schema)).stderr, "");
    });
    await runSql(url, `DROP TABLE ${notes}; ALTER SEQUENCE "${schema}".pet_ids CYCLE`);
    assert.match((await check(url, schema)).stderr, /lacks sequence pet_ids in steps of 1;/);
    await runSql(url, `ALTER SEQUENCE "${schema}".pet_ids NO CYCLE`);
    for (const [damage] of DAMAGE) await runSql(url, damage.replaceAll("{}", `"${schema}"`));
    const { status, stderr } = await check(url, schema);
    const wanted = DAMAGE.map(([, missing]) =>
      `petstore: The schema ${schema} lacks ${missing}; restore it from a backup`
    );
    assert.deepEqual(stderr.trimEnd().split("\n").map((line) => line.split(", or as ")[0]), wanted);
    assert.equal(status, 2);
  },
);

test.schema("check tells that ids are used up", async (url, schema) => {
  await runSql(url, postgresSchema(schema));
  await runSql(url, `SELECT setval('"${schema}".pet_ids', ${Number.MAX_SAFE_INTEGER - 1})`);
  assert.equal((await check(url, schema)).stderr, "");
  await runSql(url, `SELECT nextval('"${schema}".pet_ids')`);
  await assertFault(url, schema, /can add no pet, because its last id is 9007199254740991, and ids end there;/);
});

test.schema("check finds pets that the service cannot have stored", async (url, schema) => {
  await runSql(url, postgresSchema(schema));
  const insert = `INSERT INTO "${schema}".pets (id, name, category_id, status) VALUES`;
  await runSql(url, `${insert} (-5, '', 7, 0)`);
  await assertFault(url, schema, /has a pet with an id or a name that the service cannot have stored: look at id -5;/);
  await runSql(
    url,
    `UPDATE "${schema}".pets SET id = 1, name = repeat('x', 256); SELECT setval('"${schema}".pet_ids', 1)`,
  );
  await assertFault(url, schema, /look at id 1;/);
  await runSql(url, `UPDATE "${schema}".pets SET name = repeat('é', 255)`);
  assert.equal((await check(url, schema)).status, 0);
});

test.schema("check may read the pets for longer than a request", async (url, schema) => {
  const pets = `"${schema}".pets`, role = `${schema}_slow`, lock = `hashtext('${schema}')`;
  await runSql(url, postgresSchema(schema));
  await withRole(url, role, (roleUrl) =>
    withPool(roleUrl, async (pool) => {
      await runSql(url, postgresGrants(`"${role}"`, schema));
      // To read a pet, this role waits for a lock.
      await runSql(
        url,
        `INSERT INTO ${pets} VALUES (1, 7, 0, 'Rex'); SELECT nextval('"${schema}".pet_ids');
        ALTER TABLE ${pets} ENABLE ROW LEVEL SECURITY;
        CREATE POLICY slow ON ${pets} USING (pg_advisory_xact_lock_shared(${lock})::text IS NOT NULL)`,
      );
      const locker = await pool.connect(), options = { schema, timeoutMs: 500 };
      await locker.query(`SELECT pg_advisory_lock(${lock})`);
      const inspection = inspectPostgresStore(pool, options);
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event = 'advisory' AND query LIKE '%${pets}%'`;
      await until("check to read the pets", async () => (await runSql(url, waiting)).length > 0);
      // A request that comes later is given up earlier.
      const db = new Database(pool, options);
      await assert.rejects(db.query(`SELECT name FROM ${pets}`), /has not answered within 500 ms/);
      db.release();
      await locker.query(`SELECT pg_advisory_unlock(${lock})`);
      locker.release();
      assert.deepEqual((await inspection).faults, []);
    }));
});

test("check of a database that cannot be reached has status 1", async () => {
  const port = await freePort();
  await assertFault(`postgres://u:hunter2@127.0.0.1:${port}/pets`, "petstore", /^(?!.*hunter2).*127\.0\.0\.1/, 1);
});
