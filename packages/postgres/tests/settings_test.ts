/** What an operator may have set for a role or a database, and what becomes of a start there. */

import assert from "node:assert/strict";
// @ts-types="@types/pg"
import { Client, Pool } from "pg";
import { createPostgresStore, postgresSchema } from "../mod.ts";
import { migrationSql } from "../lib/schema/schema.ts";
import { MIGRATIONS } from "../lib/schema/tables.ts";
import { runSql } from "../../../tests/support/postgres/postgres.ts";
import { until } from "../../../tests/support/until.ts";
import { PET, test, usingStore } from "./support.ts";

test.schema(
  "a server that waits while another one makes the tables sees them, whatever level of isolation its role has",
  async (url, schema) => {
    const other = new Client({ connectionString: url });
    await other.connect();
    for (const level of ["read committed", "repeatable read", "serializable"]) {
      await other.query(`BEGIN; ${postgresSchema(schema)}`);
      const options = `-c default_transaction_isolation=${level.replace(" ", "\\ ")}`;
      const pool = new Pool({ connectionString: url, options });
      const opening = createPostgresStore(pool, { schema });
      const waiting =
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = hashtext('${schema}')::oid`;
      await until("a server that waits", async () => (await runSql(url, waiting)).length > 0);
      await other.query("COMMIT");
      const store = await opening;
      assert.equal(await store.create(PET), 1n, level);
      await store.close();
      await pool.end();
      await runSql(url, `DROP SCHEMA "${schema}" CASCADE`);
    }
    await other.end();
  },
);

test.schema(
  "the tables are made and migrated in a database that replicates all tables logically",
  async (url, schema) => {
    await runSql(url, `CREATE DATABASE "${schema}"`);
    try {
      const replicated = Object.assign(new URL(url), { pathname: `/${schema}` }).href;
      await runSql(replicated, "CREATE PUBLICATION everything FOR ALL TABLES");
      await usingStore(replicated, schema, async (store) => assert.equal(await store.create(PET), 1n));
      const second = (to: string) => `UPDATE ${to}.schema_version SET version = version;`;
      await runSql(replicated, migrationSql(schema, [...MIGRATIONS, second]));
    } finally {
      await runSql(url, `DROP DATABASE "${schema}" WITH (FORCE)`);
    }
  },
);
