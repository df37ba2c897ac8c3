/** How a store tells what other connections have added from what they have altered. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoreChanges } from "../../../mod.ts";
import type { SqliteStore } from "../../../lib/stores/sqlite/store.ts";
import { WRITE_NOTHING } from "../../../lib/stores/sqlite/statements.ts";
import { createMany, REX, withOther } from "./support.ts";

/** What changed since the last look, in the next turn of the event loop. */
async function look(store: SqliteStore, since: StoreChanges): Promise<{ added: boolean; altered: boolean }> {
  await new Promise((resolve) => setImmediate(resolve));
  const { additions, alterations } = store.changes();
  return { added: additions > since.additions, altered: alterations > since.alterations };
}

function now(store: SqliteStore): StoreChanges {
  return { ...store.changes() };
}

const INSERT = "INSERT INTO pets (name, category_id, status) VALUES ('Bo', 1, 0)";

/** Statements of another program on pets 1 to 9, of which 5 is missing. */
const STATEMENTS: [what: string, sql: string, expected: { added: boolean; altered: boolean }][] = [
  ["adds pets", `${INSERT}, ('Max', 2, 1)`, { added: true, altered: false }],
  ["adds pets with ids of its own", "INSERT INTO pets VALUES (40, 'a', 1, 1), (30, 'b', 1, 1)", {
    added: true,
    altered: false,
  }],
  ["adds a pet below the largest id", "INSERT INTO pets VALUES (5, 'a', 1, 1)", { added: false, altered: true }],
  ["changes a pet", "UPDATE pets SET name = 'Max' WHERE id = 3", { added: false, altered: true }],
  ["changes a pet by an upsert", "INSERT INTO pets VALUES (3, 'a', 1, 1) ON CONFLICT DO UPDATE SET name = 'b'", {
    added: false,
    altered: true,
  }],
  // This deletes the old row without running the trigger on DELETE.
  ["replaces a pet", "REPLACE INTO pets VALUES (3, 'a', 1, 1)", { added: false, altered: true }],
  ["deletes a pet", "DELETE FROM pets WHERE id = 3", { added: false, altered: true }],
  ["deletes all pets", "DELETE FROM pets", { added: false, altered: true }],
  ["deletes the last pet and adds one", `DELETE FROM pets WHERE id = 9; ${INSERT}`, { added: false, altered: true }],
  ["replaces the table", "CREATE TABLE p AS SELECT * FROM pets; DROP TABLE pets; ALTER TABLE p RENAME TO pets", {
    added: false,
    altered: true,
  }],
  ["writes to another table", "CREATE TABLE other (a); INSERT INTO other VALUES (1)", { added: false, altered: true }],
  ["remembers a request", "INSERT INTO idempotency_keys VALUES ('k', 'f', 1, 1)", { added: false, altered: false }],
  ["checks whether it could write", WRITE_NOTHING.join("; "), { added: false, altered: false }],
  ["writes the log back", "PRAGMA wal_checkpoint(TRUNCATE)", { added: false, altered: false }],
];

for (const [what, sql, expected] of STATEMENTS) {
  const shown = Object.entries(expected).flatMap(([name, is]) => is ? name : []).join() || "no change";
  test(`another program that ${what} counts as: ${shown}`, () =>
    withOther(async (store, other) => {
      await createMany(store, 9);
      other.exec("DELETE FROM pets WHERE id = 5");
      const before = now(store);
      assert.deepEqual(await look(store, before), { added: false, altered: false });
      other.exec(sql);
      const found = await look(store, before);
      // What is altered may have been added, too.
      assert.deepEqual(expected.altered ? { ...found, added: false } : found, expected);
    }));
}

test("without its triggers, a file's every change counts as an alteration", () =>
  withOther(async (store, other) => {
    await store.create(REX);
    for (const trigger of ["pet_updated", "pet_deleted", "pet_inserted"]) {
      other.exec(`CREATE TEMP TABLE t AS SELECT sql FROM sqlite_schema WHERE name = '${trigger}'`);
      other.exec(`DROP TRIGGER ${trigger}`);
      await look(store, now(store));
      const before = now(store);
      other.exec(INSERT);
      assert.equal((await look(store, before)).altered, true, trigger);
      other.exec(String(other.prepare("SELECT sql FROM t").get()?.["sql"]));
      other.exec("DROP TABLE t");
    }
    await look(store, now(store));
    const before = now(store);
    other.exec(INSERT);
    assert.deepEqual(await look(store, before), { added: true, altered: false });
  }));
