/** The schema of a file: how a later version of it comes about, and what another program can do to it. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { expectedSchemaText, migrate, readVersion } from "../../../lib/stores/sqlite/schema.ts";
import { whileReplaced } from "../../support/while_replaced.ts";
import { query, request, REX, test } from "./support.ts";

/** The migrations of a made-up later program: the one that there is, and one that adds a column. */
const FIRST = [...expectedSchemaText().values()].join(";\n") + "; INSERT INTO alteration VALUES (1)";
const SECOND = "ALTER TABLE pets ADD COLUMN colour TEXT; UPDATE pets SET colour = 'brown'";

const LATER = {
  name: "StoreUnavailableError",
  message: /has version 2 of the schema, and this program knows 1: use the later program that wrote it$/,
};

test.eachStore(
  "a second migration keeps the pets, and a program of the first one then refuses the file",
  async (store, other, path) => {
    await store.create(REX);
    // The second time, it does not run again.
    for (let time = 0; time < 2; time++) assert.equal(migrate(other, path, [FIRST, SECOND]), false);
    await assert.rejects(store.create(REX), LATER);
    assert.throws(() => store.keys.revoke("a", new Date()), LATER);
    assert.throws(() => createSqliteStore(path), LATER);
    assert.match(store.get(1n) ?? "", /"Rex"/);
    assert.deepEqual(query(path, "SELECT colour FROM pets"), [{ colour: "brown" }]);
  },
);

test.store(
  "a program that waited while another one has migrated the file does not do so again",
  async (_store, other, path) => {
    const migrations = [FIRST, "CREATE TABLE second (n INTEGER)"];
    const first = new DatabaseSync(path);
    // A program asks for the time before it waits for the lock.
    const { now } = performance;
    const migrateFirst = () => {
      performance.now = now;
      migrate(first, path, migrations);
      return 0;
    };
    await whileReplaced(performance as { now: () => number }, { now: migrateFirst }, () => {
      migrate(other, path, migrations);
    });
    first.close();
    assert.equal(readVersion(other), 2);
  },
);

const UNAVAILABLE = { name: "StoreUnavailableError" };

test.eachStore(
  "a store is unavailable while another program has renamed its table, and works again afterwards",
  async (store, other) => {
    // If a thread writes, it starts before the alteration in the second round, and after it in the first one.
    for (const id of [1n, 2n]) {
      other.exec("ALTER TABLE pets RENAME TO moved");
      await assert.rejects(store.create(REX), UNAVAILABLE);
      await assert.rejects(store.createOnce(REX, request("k")), UNAVAILABLE);
      assert.throws(() => store.list({ after: 0n, limit: 10 }), UNAVAILABLE);
      assert.throws(() => store.get(id), UNAVAILABLE);
      other.exec("ALTER TABLE moved RENAME TO pets");
      assert.equal(await store.create(REX), id);
      assert.match(store.get(id) ?? "", /"Rex"/);
    }
  },
);

test.eachStore(
  "a store whose file is overwritten by another database says so, and adds nothing to it",
  async (store, other) => {
    await store.create(REX);
    other.exec("DROP TABLE pets; PRAGMA user_version = 7; PRAGMA application_id = 7");
    const explained = { ...UNAVAILABLE, message: /is an SQLite database of another program/ };
    await assert.rejects(store.create(REX), explained);
    assert.throws(() => store.get(1n), explained);
  },
);
