/** The commands import, export and keys on PostgreSQL. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPostgresSetting } from "../server.ts";
import { runSql } from "../../../tests/support/postgres/postgres.ts";
import { inFolder, runHere } from "../../../tests/support/server/in_process.ts";
import { type ServerExit, ServerProcess } from "../../../tests/support/server/server_process.ts";
import { until } from "../../../tests/support/until.ts";
import { assertRefused, makeDrafts, toNdjson } from "../../../tests/support/server/pet_files.ts";
import { PET, test } from "./support.ts";

function run(url: string, schema: string, ...args: string[]): Promise<ServerExit> {
  return runHere(args, { PETSTORE_STORE: `${url}?schema=${schema}` });
}

test.schema(
  "what import adds, export shows, and a bad line adds nothing",
  (url, schema) =>
    inFolder(async (folder) => {
      const drafts = makeDrafts(9_000);
      writeFileSync(join(folder, "a.ndjson"), toNdjson(drafts));
      assert.equal((await run(url, schema, "import", "a.ndjson")).stdout, "a.ndjson: 9000 pets added\n");
      writeFileSync(join(folder, "bad.ndjson"), `${toNdjson(drafts)}{}\n`);
      assert.equal((await run(url, schema, "import", "bad.ndjson")).status, 2);
      const { status, stdout } = await run(url, schema, "export");
      assert.equal(status, 0);
      const wanted = toNdjson(drafts).split("\n").slice(0, -1).map((line, i) => `{"id":${i + 1},${line.slice(1)}\n`);
      assert.equal(stdout, wanted.join(""));
    }),
);

test.schema("a command that needs tables refuses a database without them, and makes none", async (url, schema) => {
  for (const args of [["export"], ["check"], ["keys", "list"]]) {
    assertRefused(await run(url, schema, ...args), /does not exist, or has no tables/);
  }
  assert.deepEqual(await runSql(url, `SELECT to_regnamespace('"${schema}"')`), [[null]]);
});

/** Addresses that cannot be used, whether a later attempt may succeed, and what to do. */
const UNUSABLE: [address: string, isTemporary: boolean, advice: RegExp][] = [
  ["postgres://127.0.0.1:9/pets", true, / cannot be used: .*ECONNREFUSED.*; start PostgreSQL, or correct the host/],
  ["postgres://missing.invalid/pets", true, / cannot be used: .*; correct the name of the host/],
  ["missing", false, / cannot be used: .*; create the database with createdb/],
];

test.schema("a database that cannot be used is named with what to do, and whether a later attempt may succeed", async (url) => {
  for (const [address, isTemporary, message] of UNUSABLE) {
    const expected = { name: "StoreUnavailableError", isTemporary, message };
    await assert.rejects(readPostgresSetting(new URL(address, url).href).check(), expected);
  }
});

test.store(
  "an export has the pets of the moment of its last page",
  async (store, url, schema) => {
    await runSql(
      url,
      `INSERT INTO "${schema}".pets SELECT i, 7, 1, 'Rex' FROM generate_series(1, 2000) AS i;
    SELECT setval('"${schema}".pet_ids', 2000)`,
    );
    const counts: number[] = [];
    await readPostgresSetting(`${url}?schema=${schema}`).export(async (_, count) => {
      if (count === 1000) await store.create(PET);
      counts.push(count);
    });
    assert.deepEqual(counts, [1000, 1000, 2]);
  },
);

/** Makes each statement that adds pets take a second. */
const SLOW = (schema: string) =>
  `CREATE FUNCTION "${schema}".pause() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NULL; END';
  CREATE TRIGGER slow BEFORE INSERT ON "${schema}".pets EXECUTE FUNCTION "${schema}".pause()`;

test.tables(
  "an import that is told to end while PostgreSQL adds its pets says that it adds all of them, or none",
  (url, schema) =>
    inFolder(async (folder) => {
      await runSql(url, SLOW(schema));
      writeFileSync(join(folder, "a.ndjson"), toNdjson(makeDrafts(3_000)));
      const env = { PETSTORE_STORE: `${url}?schema=${schema}` };
      const active = `SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%"${schema}".add_pets%'
        AND pid <> pg_backend_pid()`;
      const isAdding = async () => (await runSql(url, active)).length > 0;
      await using child = new ServerProcess(folder, { args: ["import", "a.ndjson"], env });
      await until("PostgreSQL to add the pets", isAdding);
      await child.stop("SIGTERM");
      assert.match(child.written.stderr, /it adds all of them, or none\n$/);
      await until("the end of the statement", async () => !await isAdding());
      const [[stored] = []] = await runSql(url, `SELECT count(*) FROM "${schema}".pets`);
      assert.ok(stored === "0" || stored === "3000", String(stored));
    }),
);
