/** What `petstore check` says of the tables on PostgreSQL. */

import assert from "node:assert/strict";
import { runSql } from "../../../tests/support/postgres/postgres.ts";
import { runHere } from "../../../tests/support/server/in_process.ts";
import { assertRefused } from "../../../tests/support/server/pet_files.ts";
import type { ServerExit } from "../../../tests/support/server/server_process.ts";
import { test } from "./support.ts";

function check(url: string, schema: string): Promise<ServerExit> {
  return runHere(["check"], { PETSTORE_STORE: `${url}?schema=${schema}` });
}

test.tables(
  "check tells in a line that the sequence is behind its table, which takes no impossible pet",
  async (url, schema) => {
    const insert = (pet: string) => runSql(url, `INSERT INTO "${schema}".pets VALUES (${pet})`);
    for (const pet of ["0, 7, 0, 'Rex'", `${2 ** 53}, 7, 0, 'Rex'`, "1, 7, 0, ''", "1, 7, 0, repeat('é', 256)"]) {
      await assert.rejects(insert(pet), /violates check constraint/);
    }
    await insert("7, 7, 0, 'Rex'");
    assertRefused(await check(url, schema), /sequence .*pet_ids is behind its table/);
  },
);

// An index of the operator does no harm, and neither does a table that refers to pets, or another
// way to store an index.
const MORE = `SELECT {}.add_pets(ARRAY[repeat('é', 255)], '{7}', '{1}', '{ }', '{ }', '{ }');
  SELECT setval('{}.pet_ids', ${Number.MAX_SAFE_INTEGER - 1}); CREATE INDEX ON {}.pets (name);
  CREATE TABLE {}.notes (pet bigint REFERENCES {}.pets (id)); ALTER INDEX {}.pets_by_status SET (fillfactor = 90)`;

test.tables("check says that tables are sound to which an operator has added something", async (url, schema) => {
  await runSql(url, MORE.replaceAll("{}", `"${schema}"`));
  const { status, stdout, stderr } = await check(url, schema);
  assert.deepEqual([status, stderr], [0, ""]);
  assert.match(stdout, /\(schema \w+\) is sound: schema version 1\n$/);
});

/** Damage to the schema, and what is missing then. */
const DAMAGE: [damage: string, missing: string][] = [
  ["ALTER TABLE {}.pets ALTER name DROP NOT NULL", "column pets.name text"],
  ["ALTER TABLE {}.pets DROP CONSTRAINT pets_status_check", "CHECK ((status = ANY (ARRAY[0, 1, 2]))) on pets"],
  [
    "ALTER TABLE {}.pets DROP CONSTRAINT pets_name_check",
    "CHECK (((length(name) > 0) AND (length(name) <= 255))) on pets",
  ],
  ["DROP INDEX {}.pets_by_status; CREATE INDEX ON {}.pets (status, id) WHERE id < 9", "index on pets (status, id)"],
  ["ALTER TABLE {}.requests SET UNLOGGED", "write-ahead log for requests"],
  ["ALTER SEQUENCE {}.pet_ids CACHE 10 CYCLE", "sequence pet_ids in steps of 1"],
  ["ALTER FUNCTION {}.forget_requests RENAME TO forget", "function forget_requests"],
];

test.tables(
  "check tells which columns, constraints, indexes and functions are missing or changed",
  async (url, schema) => {
    for (const [damage] of DAMAGE) await runSql(url, damage.replaceAll("{}", `"${schema}"`));
    const { status, stderr } = await check(url, schema);
    const said = stderr.trimEnd().split("\n").map((line) => line.split("; restore it from a backup")[0]);
    assert.deepEqual(said, DAMAGE.map(([, missing]) => `petstore: The schema ${schema} lacks ${missing}`));
    assert.equal(status, 2);
  },
);
