/** The command `check` on PostgreSQL. */

import assert from "node:assert/strict";
import { postgresSchema } from "../../lib/stores/postgres/postgres_store.ts";
import { MIGRATIONS } from "../../lib/stores/postgres/schema/tables.ts";
import { runSql } from "../support/postgres/postgres.ts";
import { runHere } from "../support/server/in_process.ts";
import type { ServerExit } from "../support/server/server_process.ts";
import { freePort } from "../support/system/free_port.ts";
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

test.schema("check tells whether the tables are there and of this release, and makes none", async (url, schema) => {
  await assertFault(url, schema, /does not exist, or has no tables/);
  assert.deepEqual(await runSql(url, countRelations(schema)), [["0"]]);
  await runSql(url, postgresSchema(schema));
  const { status, stdout, stderr } = await check(url, schema);
  assert.match(
    stdout,
    new RegExp(`^postgres://\\S+ \\(schema ${schema}\\) is sound: schema version ${MIGRATIONS.length}\\n$`),
  );
  assert.deepEqual([status, stderr], [0, ""]);
  await runSql(url, `UPDATE "${schema}".schema_version SET version = 1`);
  await assertFault(url, schema, /is of an older release; the next start migrates it/);
  assert.deepEqual(await runSql(url, `SELECT version FROM "${schema}".schema_version`), [["1"]]);
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

test("check of a database that cannot be reached has status 1", async () => {
  const port = await freePort();
  await assertFault(`postgres://u:hunter2@127.0.0.1:${port}/pets`, "petstore", /^(?!.*hunter2).*127\.0\.0\.1/, 1);
});
