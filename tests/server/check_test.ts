/** `check`, and what every command says of a damaged file. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "../support/server/in_process.ts";
import { Ledger, ON_FILE } from "../support/server/ledger.ts";
import { makeStore, refuse, runLine, STORE, succeed } from "../support/server/pet_files.ts";
import { runCommand, withServer } from "../support/server/server_process.ts";
import { execute, query } from "../support/database.ts";
import { overwrite } from "../support/system/disk.ts";

test.inFolder("check says that a sound file is sound, beside a server and without one, and leaves the folder as it was", async (folder) => {
  await makeStore(3);
  const stdout = `sqlite:pets.db is sound: 3 pets\n`;
  const sound = { status: 0, stdout, stderr: "" };
  assert.deepEqual(await runCommand(folder, ["check", STORE]), sound);
  assert.deepEqual(readdirSync(folder), ["pets.db"]);
  await withServer(folder, ON_FILE, async (server) => {
    assert.deepEqual(await runLine("check"), sound);
    // A server that is killed leaves its log, with pets in it.
    await new Ledger().create(server);
    await server.stop("SIGKILL");
  });
  const files = readdirSync(folder);
  assert.ok(files.includes("pets.db-wal"));
  assert.match(await succeed("check"), /is sound: 4 pets/);
  assert.deepEqual(readdirSync(folder), files);
});

/** What is done to a file, as SQL or otherwise, and what check says about it. */
const UNSOUND: [damage: string | (() => void), shows: RegExp][] = [
  ["CREATE TABLE notes (text)", /table notes is not of the petstore/],
  [() => execute("pets.db", 'CREATE TABLE "no\ntes\u202e" (text)'), /table no\\u000ates\\u202e is not of the petstore/],
  ["DROP INDEX pets_by_status; CREATE INDEX pets_by_status ON pets (name)", /index pets_by_status was changed/],
  ["INSERT INTO pets (id, name, category_id, status) VALUES (-7, '', 1, 0)", /^petstore: Pets .*: 1; look at id -7$/m],
  ["PRAGMA user_version = 9", /has version 9 of the schema/],
  [() => writeFileSync("pets.db", "Feed Rex at noon. ".repeat(100)), /not an SQLite database/],
  [() => overwrite("pets.db", 5 * 4096, 4096), /corrupt|finds damage/],
];

for (const [damage, shows] of UNSOUND) {
  const what = typeof damage === "string" ? damage : `damage that shows ${shows.source}`;
  test.inFolder(`check finds a fault after ${what}, with status 2, and changes nothing; a backup fails`, async () => {
    await makeStore(500);
    if (typeof damage === "string") execute("pets.db", damage);
    else damage();
    const before = readFileSync("pets.db");
    const { status, stdout, stderr } = await runLine("check");
    assert.match(stderr, /^(petstore: [^\n]+\n)+$/);
    assert.match(stderr, shows);
    assert.deepEqual([status, stdout], [2, ""]);
    await refuse("backup copy.db", /: pets\.db /);
    assert.deepEqual(readFileSync("pets.db"), before);
    assert.deepEqual(readdirSync("."), ["pets.db"]);
  });
}

/** The tables and the commands that need them. A server does not start where its requests would find the damage. */
const READERS = {
  api_keys: ["serve", "keys list", "keys revoke key-1"],
  pets: ["serve --key=k", "export"],
};

for (const [table, commands] of Object.entries(READERS)) {
  test.inFolder(`a damaged page of ${table} is told in one sentence by each command that needs it`, async () => {
    await makeStore(500);
    const [row] = query("pets.db", `SELECT rootpage FROM sqlite_schema WHERE name = '${table}'`);
    overwrite("pets.db", (Number(row?.["rootpage"]) - 1) * 4096, 4096);
    for (const line of commands) await refuse(line, "pets.db is corrupt; restore it from a backup\n");
  });
}
