/** How a store tells what other connections have added from what they have altered. */

import { DatabaseSync } from "node:sqlite";
import { ChangeWatch } from "../../../lib/stores/sqlite/change_watch.ts";
import assert from "node:assert/strict";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import type { StoreChanges } from "../../../lib/stores/store.ts";
import { closeUnused } from "../../../lib/stores/sqlite/descriptors.ts";
import type { SqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { migrate } from "../../../lib/stores/sqlite/schema.ts";
import { SharedRead } from "../../../lib/stores/sqlite/shared_read.ts";
import { WRITE_NOTHING } from "../../../lib/stores/sqlite/statements.ts";
import { createMany, REX, test, withOther } from "./support.ts";

/** What changed since the last look. What is altered may have been added, too. */
function look(store: SqliteStore, since: StoreChanges): "alteration" | "addition" | "no change" {
  const { additions, alterations } = store.changes();
  if (alterations > since.alterations) return "alteration";
  return additions > since.additions ? "addition" : "no change";
}

function now(store: SqliteStore): StoreChanges {
  return { ...store.changes() };
}

/** Runs statements of another program, and requires what they count as. */
function assertCounts(store: SqliteStore, other: DatabaseSync, sql: string, expected: string): void {
  look(store, now(store));
  const before = now(store);
  other.exec(sql);
  assert.equal(look(store, before), expected, sql);
}

const INSERT = "INSERT INTO pets (name, category_id, status) VALUES ('Bo', 1, 0)";

/** Puts a pet beyond the ids that sqlite_sequence has seen. */
const UNSEEN: [what: string, sql: string][] = [
  ["has changed an id", "UPDATE pets SET id = 1000 WHERE id = 9"],
  ["has changed a rowid", "UPDATE pets SET _rowid_ = 1000 WHERE id = 9"],
  ["has reset the sequence", "REPLACE INTO pets VALUES (1000, 'a', 1, 1); UPDATE sqlite_sequence SET seq = 0"],
  ["has emptied the sequence", "REPLACE INTO pets VALUES (1000, 'a', 1, 1); DELETE FROM sqlite_sequence"],
];

/** Statements of another program on pets 1 to 9, of which 5 is missing, by what they count as. */
const STATEMENTS: Record<string, [what: string, sql: string][]> = {
  "addition": [
    ["adds pets", `${INSERT}, ('Max', 2, 1)`],
    ["adds pets with ids of its own", "INSERT INTO pets VALUES (30, 'a', 1, 1), (40, 'b', 1, 1)"],
  ],
  "alteration": [
    ["adds pets in descending order", "INSERT INTO pets VALUES (40, 'a', 1, 1), (30, 'b', 1, 1)"],
    ["adds a pet below the largest id", "INSERT INTO pets VALUES (5, 'a', 1, 1)"],
    ["changes a pet", "UPDATE pets SET name = 'Max' WHERE id = 3"],
    ["changes a pet by an upsert", "INSERT INTO pets VALUES (3, 'a', 1, 1) ON CONFLICT DO UPDATE SET name = 'b'"],
    // This deletes the old row without running the trigger on DELETE.
    ["replaces a pet", "REPLACE INTO pets VALUES (3, 'a', 1, 1)"],
    ["replaces a pet by a statement for several", "REPLACE INTO pets VALUES (40, 'a', 1, 1), (3, 'b', 1, 1)"],
    ["replaces a pet by an update", "UPDATE OR REPLACE pets SET rowid = 3 WHERE id = 4"],
    [
      "replaces a pet, and runs the trigger on DELETE",
      "PRAGMA recursive_triggers = ON; REPLACE INTO pets VALUES (9, 'a', 1, 1)",
    ],
    ["keeps a pet by INSERT OR IGNORE, and adds one", `INSERT OR IGNORE INTO pets VALUES (9, 'a', 1, 1); ${INSERT}`],
    ["writes to the file as an attached one", "ATTACH 'FILE' AS other; REPLACE INTO other.pets VALUES (9, 'a', 1, 1)"],
    ["copies the file into itself by VACUUM", "VACUUM"],
    ["deletes a pet", "DELETE FROM pets WHERE id = 3"],
    ["deletes all pets", "DELETE FROM pets"],
    ["deletes the last pet and adds one", `DELETE FROM pets WHERE id = 9; ${INSERT}`],
    ["replaces the table", "CREATE TABLE p AS SELECT * FROM pets; DROP TABLE pets; ALTER TABLE p RENAME TO pets"],
    ["writes to another table", "CREATE TABLE other (a); INSERT INTO other VALUES (1)"],
  ],
  "no change": [
    ["remembers a request", "INSERT INTO idempotency_keys VALUES ('k', 'f', 1, 1)"],
    ["checks whether it could write", WRITE_NOTHING.join("; ")],
    ["writes the log back", "PRAGMA wal_checkpoint(TRUNCATE)"],
  ],
};

for (const [expected, statements] of Object.entries(STATEMENTS)) {
  for (const [what, sql] of statements) {
    test.other(`another program that ${what} counts as: ${expected}`, async (store, other, path) => {
      await createMany(store, 9);
      other.exec("DELETE FROM pets WHERE id = 5");
      assertCounts(store, other, sql.replace("FILE", path), expected);
    });
  }
}

for (const [what, sql] of UNSEEN) {
  test(`another program that ${what} is noticed when it replaces the last pet, adds one below it or one after it`, () =>
    withOther(async (store, other) => {
      await createMany(store, 9);
      other.exec(sql);
      for (
        const [statement, expected] of [
          ["INSERT OR REPLACE INTO pets VALUES (1000, 'b', 1, 1)", "alteration"],
          ["INSERT INTO pets VALUES (500, 'c', 1, 1)", "alteration"],
          [INSERT, "addition"],
          ["INSERT OR REPLACE INTO pets VALUES (1001, 'd', 1, 1)", "alteration"],
        ] as const
      ) {
        assertCounts(store, other, statement, expected);
      }
    }));
}

test.other("without its triggers, a file's every change counts as an alteration", async (store, other) => {
  await store.create(REX);
  for (const trigger of ["pet_updated", "pet_deleted", "pet_inserted", "pet_replaced"]) {
    // The store has seen that the stamp shows each change, until the trigger is gone.
    look(store, now(store));
    other.exec(`CREATE TEMP TABLE t AS SELECT sql FROM sqlite_schema WHERE name = '${trigger}'`);
    other.exec(`DROP TRIGGER ${trigger}`);
    assertCounts(store, other, INSERT, "alteration");
    other.exec(String(other.prepare("SELECT sql FROM t").get()?.["sql"]));
    other.exec("DROP TABLE t");
  }
  assertCounts(store, other, INSERT, "addition");
});

/** What another program may have added to the file, and how it then alters a pet without the petstore's triggers. */
const UNSEEN_BY_TRIGGERS: [added: string, sql: string][] = [
  ["CREATE UNIQUE INDEX u ON pets(name)", "REPLACE INTO pets (name, category_id, status) VALUES ('pet 3', 9, 1)"],
  ["CREATE TRIGGER z AFTER DELETE ON pets BEGIN SELECT raise(IGNORE); END", "DELETE FROM pets WHERE id = 3"],
  ["CREATE TRIGGER z AFTER DELETE ON PETS BEGIN SELECT raise(IGNORE); END", "DELETE FROM pets WHERE id = 3"],
  ["CREATE TRIGGER z BEFORE UPDATE ON alteration BEGIN SELECT raise(IGNORE); END", "DELETE FROM pets WHERE id = 3"],
  [
    "DROP TRIGGER pet_updated; CREATE TRIGGER pet_updated AFTER UPDATE OF status ON pets " +
    "BEGIN UPDATE alteration SET stamp = random(); END",
    "UPDATE pets SET name = 'other' WHERE id = 3",
  ],
  [
    "CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT UNIQUE, category_id INTEGER, status INTEGER); " +
    "INSERT INTO p SELECT * FROM pets; DROP TABLE pets; ALTER TABLE p RENAME TO pets; TRIGGERS",
    "REPLACE INTO pets (name, category_id, status) VALUES ('pet 3', 9, 1)",
  ],
  [
    "DROP TRIGGER pet_deleted; CREATE TRIGGER pet_deleted AFTER DELETE ON pets BEGIN SELECT 1; END",
    "DELETE FROM pets WHERE id = 3",
  ],
];

for (const [added, sql] of UNSEEN_BY_TRIGGERS) {
  test.other(`what another program alters counts as an alteration after: ${added}`, async (store, other) => {
    await createMany(store, 9);
    const triggers = other.prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").all().map(({ sql }) => sql);
    other.exec(`UPDATE pets SET name = 'pet ' || id; ${added.replace("TRIGGERS", triggers.join("; "))}`);
    assertCounts(store, other, sql, "alteration");
  });
}

test("what was kept is stale once the store is closed, also while another program has the file open", () =>
  withOther(async (store, other) => {
    await store.create(REX);
    other.prepare("SELECT count(*) FROM pets").get();
    await store.close();
    for (let look = 0; look < 2; look++) {
      const before = now(store);
      assert.ok(now(store).alterations > before.alterations);
    }
  }));

/** A connection whose statements fail when they are told to, as on a disk that does not answer. */
function failingDatabase() {
  const state = { fails: false, version: 1, marks: { schema: 1n, stamp: 1n, last: 1n } };
  // Its schema is that of a petstore.
  const real = new DatabaseSync(":memory:");
  migrate(real, ":memory:");
  const log: string[] = [];
  const run = (sql: string) => {
    log.push(sql);
    if (state.fails) throw new Error("disk I/O error");
    return sql.includes("data_version") ? { data_version: state.version } : { ...state.marks };
  };
  const prepare = (sql: string) => {
    const all = () => real.prepare(sql).all();
    return { get: () => run(sql), run: () => run(sql), all, setReadBigInts: () => {} };
  };
  return { db: { prepare, exec: run } as unknown as DatabaseSync, state, log };
}

test("after a look that failed, the next change counts as an alteration: what was there before is not known", () => {
  const { db, state } = failingDatabase();
  const watch = new ChangeWatch(db, undefined);
  const counts = () => ({ ...watch.noticeCommits() });
  const first = counts();
  state.version++;
  state.marks.last++;
  assert.deepEqual(counts(), { ...first, additions: first.additions + 1 });
  state.fails = true;
  const failed = counts();
  assert.equal(failed.alterations, first.alterations + 1);
  state.fails = false;
  state.version++;
  state.marks.last++;
  assert.equal(counts().alterations, failed.alterations + 1);
  state.version++;
  state.marks.last++;
  assert.deepEqual(counts(), { additions: first.additions + 2, alterations: failed.alterations + 1 });
});

test("a largest id that is smaller than before is an alteration, even if the stamp has not changed", () => {
  const { db, state } = failingDatabase();
  const watch = new ChangeWatch(db, undefined);
  const first = { ...watch.noticeCommits() };
  state.version++;
  state.marks.last--;
  assert.deepEqual({ ...watch.noticeCommits() }, { ...first, alterations: first.alterations + 1 });
});

test("a transaction of reads that cannot be ended is rolled back, and the next reads begin another", async () => {
  const { db, state, log } = failingDatabase();
  const shared = new SharedRead(db);
  for (let read = 0; read < 2; read++) shared.join();
  state.fails = true;
  shared.end();
  state.fails = false;
  for (let read = 0; read < 2; read++) shared.join();
  shared.end();
  assert.deepEqual(log, ["BEGIN", "COMMIT", "ROLLBACK", "BEGIN", "COMMIT"]);
  // The ends that were planned for the turns of these reads find nothing open.
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(log.length, 5);
});

test.path("a look that fails ends the transaction of the reads before it, which may not show the last commit", (path) => {
  const { db, log } = failingDatabase();
  const index = `${path}-shm`;
  writeFileSync(index, new Uint8Array(96));
  const watch = new ChangeWatch(db, { givenPath: path, path, identities: [] });
  const { alterations } = watch.noticeCommits();
  for (let read = 0; read < 2; read++) watch.joinSharedRead();
  assert.deepEqual(log, ["BEGIN"]);
  // The header of the index cannot be read any more.
  truncateSync(index, 10);
  assert.equal(watch.noticeCommits().alterations, alterations + 1);
  assert.deepEqual(log, ["BEGIN", "COMMIT"]);
  rmSync(index);
  closeUnused(path);
});
