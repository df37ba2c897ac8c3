/** A transaction that cannot be committed leaves nothing behind, the lock neither. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { createSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { withTempFolder } from "../../support/temp.ts";

/** Every pet refers to a row that is not there, which is found out at the end of the transaction and not before. */
const FAIL_AT_COMMIT = `
  CREATE TABLE kennels (id INTEGER PRIMARY KEY);
  CREATE TABLE stays (kennel INTEGER REFERENCES kennels (id) DEFERRABLE INITIALLY DEFERRED);
  CREATE TRIGGER stay AFTER INSERT ON pets BEGIN INSERT INTO stays VALUES (1); END`;

const REX = { name: "Rex", categoryId: 7n, status: "available" } as const;

test("a create whose commit fails leaves no pet and no lock, and the next one succeeds", () =>
  withTempFolder(async (folder) => {
    const path = join(folder, "pets.db");
    const store = createSqliteStore(path);
    const other = new DatabaseSync(path);
    try {
      other.exec(FAIL_AT_COMMIT);
      await assert.rejects(async () => await store.create(REX), /FOREIGN KEY constraint failed/);
      // Refused while the store had a transaction open.
      other.exec("DROP TRIGGER stay");
      assert.equal(await store.create(REX), 1n);
      assert.deepEqual(other.prepare("SELECT count(*) AS count FROM pets").get()?.["count"], 1);
    } finally {
      other.close();
      await store.close();
    }
  }));
