/** `check`, and what every command says of a damaged file. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test } from "../support/server/in_process.ts";
import { Ledger, ON_FILE } from "../support/server/ledger.ts";
import { makeStore, refuse, runLine, STORE, succeed } from "../support/server/pet_files.ts";
import { runCommand, withServer } from "../support/server/server_process.ts";
import { execute } from "../support/database.ts";
import { overwrite } from "../support/system/disk.ts";

test.inFolder("check says that a sound file is sound, beside a server and without one, and leaves the folder as it was", async (folder) => {
  await makeStore(3);
  const stdout = `sqlite:pets.db is sound: 3 pets\n`;
  const sound = { status: 0, stdout, stderr: "" };
  assert.deepEqual(await runCommand(folder, ["check", STORE]), sound);
  assert.deepEqual(readdirSync(folder), ["pets.db"]);
  await withServer(folder, ON_FILE, async (server) => {
    const files = readdirSync(folder);
    assert.deepEqual(await runLine("check"), sound);
    assert.deepEqual(readdirSync(folder), files);
    // A server that is killed leaves its log, with pets in it.
    await new Ledger().create(server);
    await server.stop("SIGKILL");
  });
  const files = readdirSync(folder);
  assert.ok(files.includes("pets.db-wal"));
  assert.match(await succeed("check"), /is sound: 4 pets/);
  assert.deepEqual(readdirSync(folder), files);
});

/** What SQL makes of a sound file, and what check says about it. */
const CHANGES: [sql: string, shows: RegExp][] = [
  ["CREATE TABLE notes (text)", /table notes is not of the petstore/],
  ["DROP TRIGGER pet_deleted", /trigger pet_deleted is missing/],
  ["DROP INDEX pets_by_status; CREATE INDEX pets_by_status ON pets (name)", /index pets_by_status was changed/],
  ["INSERT INTO pets (id, name, category_id, status) VALUES (-7, '', 1, 0)", /^petstore: 1 pet .* id -7$/m],
  ["PRAGMA application_id = 7", /of another program/],
  ["PRAGMA user_version = 9", /has version 9 of the schema/],
];

const UNSOUND: [what: string, damage: () => void, shows: RegExp][] = [
  ...CHANGES.map(([sql, shows]) => [`after ${sql}`, () => execute("pets.db", sql), shows] as typeof UNSOUND[number]),
  ["that is cut", () => truncateSync("pets.db", 12_288), /corrupt|finds damage/],
  ["that is no database", () => writeFileSync("pets.db", "Feed Rex at noon. ".repeat(100)), /not an SQLite database/],
  ["with damage in a page", () => {
    const bytes = readFileSync("pets.db");
    bytes.fill(0xff, 5 * 4096, 6 * 4096);
    writeFileSync("pets.db", bytes);
  }, /corrupt|finds damage/],
];

for (const [what, damage, shows] of UNSOUND) {
  test.inFolder(`check finds a file ${what}, with status 2, and changes nothing`, async () => {
    await makeStore(500);
    damage();
    const before = readFileSync("pets.db");
    const { status, stdout, stderr } = await runLine("check");
    assert.match(stderr, /^(petstore: [^\n]+\n)+$/);
    assert.match(stderr, shows);
    assert.deepEqual([status, stdout], [2, ""]);
    assert.deepEqual(readFileSync("pets.db"), before);
    assert.deepEqual(readdirSync("."), ["pets.db"]);
  });
}

const CORRUPT = "pets.db is corrupt; restore it from a backup\n";

/** Overwrites the page on which the table of a file begins. */
function damageTable(name: string): void {
  using db = new DatabaseSync("pets.db");
  const root = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.["rootpage"]);
  db.close();
  overwrite("pets.db", (root - 1) * 4096, 4096);
}

test.inFolder("a damaged file is told in one sentence by each command, with its name and what to do", async () => {
  await makeStore(500);
  // What the copy would have too.
  execute("pets.db", "CREATE TABLE notes (text)");
  await refuse("backup copy.db", /: pets\.db is not sound: .* notes .*; petstore check/);
  execute("pets.db", "DROP TABLE notes");
  damageTable("api_keys");
  for (const line of ["keys list", "keys revoke key-1", "serve", "backup copy.db"]) await refuse(line, CORRUPT);
  damageTable("pets");
  for (const line of ["export", "backup copy.db"]) await refuse(line, CORRUPT);
  assert.deepEqual(readdirSync("."), ["pets.db"]);
});

for (const name of ["pets", "pets_by_status", "api_keys"]) {
  test.inFolder(`a server does not start where its requests would find damage in ${name}`, async () => {
    await makeStore(500);
    damageTable(name);
    const before = readFileSync("pets.db");
    for (const line of ["serve --key=pk_test", "serve"]) {
      await refuse(line, CORRUPT);
      assert.deepEqual(readFileSync("pets.db").subarray(4096), before.subarray(4096));
    }
  });
}
