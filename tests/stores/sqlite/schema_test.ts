/** The schema of a file: how a later version of it comes about, and which files are refused. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { migrate, requireKnownSchema } from "../../../lib/stores/sqlite/schema.ts";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { expectedSchemaText } from "../../../lib/stores/sqlite/schema.ts";
import { request, REX, test, usingStore } from "./support.ts";

/** The migrations of a made-up later program: the one that there is, and one that adds a column. */
const FIRST = [...expectedSchemaText().values()].join(";\n") + "; INSERT INTO alteration VALUES (1)";
const SECOND = "ALTER TABLE pets ADD COLUMN colour TEXT; UPDATE pets SET colour = 'brown'";

const LATER = {
  name: "StoreUnavailableError",
  message: /has version 2 of the schema, and this program knows 1: use the later program that wrote it$/,
};

function versionOf(db: DatabaseSync): unknown {
  return db.prepare("PRAGMA user_version").get()?.["user_version"];
}

test.eachOther(
  "a second migration keeps the pets, and a program of the first one then refuses the file",
  async (store, other, path) => {
    await store.create(REX);
    assert.equal(migrate(other, path, [FIRST, SECOND]), false);
    assert.equal(versionOf(other), 2);
    assert.equal(other.prepare("SELECT colour FROM pets WHERE id = 1").get()?.["colour"], "brown");
    // It does not run again.
    other.exec("UPDATE pets SET colour = 'white'");
    migrate(other, path, [FIRST, SECOND]);
    assert.equal(other.prepare("SELECT colour FROM pets WHERE id = 1").get()?.["colour"], "white");
    await assert.rejects(async () => await store.create(REX), LATER);
    assert.throws(() => store.keys.revoke("a", new Date()), LATER);
    assert.throws(() => createSqliteStore(path), LATER);
    assert.match(await store.get(1n) ?? "", /"Rex"/);
    assert.equal(other.prepare("SELECT count(*) AS count FROM pets").get()?.["count"], 1);
  },
);

test.path("a migration that fails leaves the file as it was, and this program continues with it", async (path) => {
  await usingStore(path, (store) => store.create(REX));
  const db = new DatabaseSync(path);
  assert.throws(
    () => migrate(db, path, [FIRST, `${SECOND}; INSERT INTO nowhere VALUES (1)`]),
    /no such table: nowhere/,
  );
  assert.equal(requireKnownSchema(db, path), 1);
  db.close();
  assert.equal(await usingStore(path, (store) => store.create(REX)), 2n);
});

/** What another program can do to the tables of a running store, and the SQL that undoes it. */
const ALTERATIONS: readonly [what: string, sql: string, undo: string][] = [
  ["renames the table", "ALTER TABLE pets RENAME TO moved", "ALTER TABLE moved RENAME TO pets"],
  ["renames a column", "ALTER TABLE pets RENAME name TO nom", "ALTER TABLE pets RENAME nom TO name"],
  [
    "adds a trigger that refuses the row",
    "CREATE TRIGGER full BEFORE INSERT ON pets BEGIN SELECT RAISE(ABORT, 'full'); END",
    "DROP TRIGGER full",
  ],
  ["adds a unique index", "CREATE UNIQUE INDEX names ON pets (name)", "DROP INDEX names"],
];

for (const [what, sql, undo] of ALTERATIONS) {
  test.eachOther(
    `a store is unavailable while another program ${what}, and works again afterwards`,
    async (store, other) => {
      const unavailable = { name: "StoreUnavailableError" };
      if (/^renames/.test(what)) {
        // If a thread writes, it starts now.
        other.exec(sql);
        await assert.rejects(async () => await store.create(REX), unavailable);
        other.exec(undo);
      }
      await store.create(REX);
      other.exec(sql);
      await assert.rejects(async () => await store.create(REX), unavailable);
      await assert.rejects(async () => await store.createOnce!(REX, request("k")), unavailable);
      if (/^renames/.test(what)) {
        await assert.rejects(async () => await store.get(1n), unavailable);
        await assert.rejects(async () => await store.list({ after: 0n, limit: 10 }), unavailable);
      }
      other.exec(undo);
      assert.equal(await store.create(REX), 2n);
      assert.match(await store.get(1n) ?? "", /"Rex"/);
    },
  );
}

for (
  const [what, sql] of [
    [
      "a database of another program",
      "DROP TABLE idempotency_keys; PRAGMA user_version = 7; PRAGMA application_id = 7",
    ],
    ["an empty database", "DROP TABLE pets; PRAGMA user_version = 0; PRAGMA application_id = 0"],
  ] as const
) {
  test.eachOther(
    `a store whose file is overwritten by ${what} reports that, and adds nothing to it`,
    async (store, other) => {
      await store.create(REX);
      other.exec(sql);
      const unavailable = { name: "StoreUnavailableError" };
      await assert.rejects(async () => await store.create(REX), unavailable);
      await assert.rejects(async () => await store.createOnce?.(REX, request("k")), unavailable);
      if (what === "an empty database") {
        const explained = { ...unavailable, message: /is an SQLite database of another program/ };
        assert.throws(() => store.list({ after: 0n, limit: 10 }), explained);
        assert.throws(() => store.get(1n), explained);
      }
    },
  );
}
