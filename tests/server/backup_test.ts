/**
 * `backup`: what becomes of the copy, its name, and the disk below it; `check`, and what every command
 * says of a damaged file; and commands that a signal ends.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { execute, fill, query } from "../support/database.ts";
import { inFolder, test, withServerHere } from "../support/server/in_process.ts";
import { KEY, Ledger, ON_FILE } from "../support/server/ledger.ts";
import { FILE, makeStore, refuse, runLine, STORE, succeed } from "../support/server/pet_files.ts";
import { runCommand, ServerProcess, walk, withServer } from "../support/server/server_process.ts";
import { testUnless } from "../support/system/commands.ts";
import { fillUp, MOUNT_SKIP, overwrite, withTmpfs } from "../support/system/disk.ts";
import { testWith } from "../support/test_with.ts";
import { until } from "../support/until.ts";

test.inFolder("backup copies what a running server has, for its owner alone, and a server starts on the copy", async (folder) => {
  const ledger = new Ledger();
  await withServer(folder, ON_FILE, async (server) => {
    for (let i = 0; i < 5; i++) await ledger.create(server);
    const files = readdirSync(folder);
    assert.match(await succeed("backup copy.db"), /^copy\.db: 5 pets, \d+ bytes, checked\n$/);
    assert.deepEqual(readdirSync(folder).toSorted(), [...files, "copy.db"].toSorted());
  });
  assert.equal(statSync("copy.db").mode & 0o777, 0o600);
  ledger.assertInFile(join(folder, "copy.db"));
  const parts = { args: [`--key=${KEY}`, "--store=sqlite:copy.db"] };
  await withServerHere(parts, async (server) => assert.deepEqual(await walk(KEY, server), ledger.inOrder()));
});

test.inFolder("a backup beyond the limit of the system for the size of a file fails, and nothing is left of it", async (folder) => {
  await makeStore(1);
  fill("pets.db", 5000);
  const files = readdirSync(folder);
  // The size is given in blocks of 512 bytes.
  const { status, stderr } = await new ServerProcess(folder, { args: ["backup", "copy.db", STORE], limit: "-f 100" })
    .run();
  assert.notEqual(status, 0);
  assert.match(stderr, /^petstore: The copy of pets\.db .*(the disk is full|file too large)/);
  assert.deepEqual(readdirSync(folder), files);
});

test.inFolder("backup, restore and export take a name that SQLite would read as a URI for the name of a file", async () => {
  await makeStore(3);
  const name = "file:copy.db?mode=memory";
  await succeed(`backup ${encodeURIComponent(name)}`);
  assert.match(await succeed(`restore ${encodeURIComponent(name)}`), /: 3 pets from /);
  await succeed(`export ${encodeURIComponent(name)}.ndjson`);
  for (const made of [name, `${name}.ndjson`]) assert.ok(readdirSync(".").includes(made), made);
});

const testMounted = testWith(inFolder, testUnless(MOUNT_SKIP));

testMounted("a backup on a full disk has status 1, says which disk, and leaves nothing", async () => {
  await makeStore(500);
  await withTmpfs("64k", async (full) => {
    fillUp(join(full, "full"));
    await refuse(`backup ${full}/copy.db`, /copy of pets\.db .*(full|no space)/i, 1);
    assert.deepEqual(readdirSync(full), ["full"]);
  });
});

testMounted("a backup is checked, exported and copied on a read-only mount", async () => {
  await makeStore(3);
  await withTmpfs("4m", async (mount, remount) => {
    await succeed(`backup ${mount}/copy.db`);
    remount("ro");
    for (const line of ["check", "keys list", "export", "backup copy.db"]) {
      const { status, stderr } = await runLine(`${line} --store=sqlite:${mount}/copy.db`);
      assert.deepEqual([status, stderr], [0, ""]);
    }
    assert.deepEqual(readdirSync(mount), ["copy.db"]);
  });
});

test.inFolder("check and backup of a file that another program has locked end with status 1", async () => {
  await makeStore(1);
  using other = new DatabaseSync("pets.db");
  other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM pets");
  for (const line of ["check", "backup copy.db"]) await refuse(line, /is locked by another process/, 1);
  assert.ok(!readdirSync(".").some((name) => name.startsWith("copy.db")));
});

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

/** What is done to a file, and what check says about it. */
const UNSOUND: [damage: () => void, shows: RegExp][] = [
  [() => execute(FILE, "CREATE TABLE notes (text)"), /table notes is not of the petstore/],
  [() => execute(FILE, 'CREATE TABLE "no\ntes\u202e" (text)'), /table no\\u000ates\\u202e is not of the petstore/],
  [
    () => execute(FILE, "DROP INDEX pets_by_status; CREATE INDEX pets_by_status ON pets (name)"),
    /index .* was changed/,
  ],
  [() => execute(FILE, "INSERT INTO pets VALUES (-7, '', 1, 0)"), /^petstore: Pets .*: 1; look at id -7$/m],
  [() => execute(FILE, "PRAGMA user_version = 9"), /has version 9 of the schema/],
  [() => writeFileSync(FILE, "Feed Rex at noon. ".repeat(100)), /not an SQLite database/],
  [() => overwrite(FILE, 5 * 4096, 4096), /corrupt|finds damage/],
];

for (const [damage, shows] of UNSOUND) {
  test.inFolder(`check finds the fault that shows ${shows.source}, with status 2, and changes nothing; a backup fails`, async () => {
    await makeStore(500);
    damage();
    const before = readFileSync(FILE);
    const { status, stdout, stderr } = await runLine("check");
    assert.match(stderr, /^(petstore: [^\n]+\n)+$/);
    assert.match(stderr, shows);
    assert.deepEqual([status, stdout], [2, ""]);
    await refuse("backup copy.db", /: pets\.db /);
    assert.deepEqual(readFileSync(FILE), before);
    assert.deepEqual(readdirSync("."), [FILE]);
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

/** So many pets keep a command at work for longer than a test needs to send a signal. */
const PETS = 150_000;

/**
 * Sends the signal as soon as a file with this name is there. On a busy machine, the command may be
 * done before it comes. Then what it has made is removed, and it runs again.
 */
async function interrupt(command: string, unfinished: RegExp, signal: Deno.Signal): Promise<number> {
  const before = readdirSync(".");
  for (let attempt = 0;; attempt++) {
    await using child = new ServerProcess(process.cwd(), { args: [...command.split(" "), STORE] });
    let isDone = false;
    child.exit().then(() => isDone = true, () => {});
    await until("an unfinished file", () => isDone || readdirSync(".").some((name) => unfinished.test(name)));
    const status = await child.stop(signal);
    if (status !== 0 || attempt === 10) return status;
    for (const name of readdirSync(".")) if (!before.includes(name)) rmSync(name);
  }
}

test.inFolder("a signal ends a backup and an export, which leave no file, and a restore, which leaves the file until now", async () => {
  await makeStore(0);
  fill(FILE, PETS);
  await succeed("backup kept.db");
  const before = readdirSync(".");
  assert.equal(await interrupt("backup copy", /^copy\.\d+\.tmp$/, "SIGINT"), 130);
  assert.equal(await interrupt("export copy", /^copy\.\d+\.tmp$/, "SIGTERM"), 143);
  assert.equal(await interrupt("restore kept.db", /^pets\.db\.\d+\.tmp$/, "SIGTERM"), 143);
  const isLog = (name: string) => /-(wal|shm)$/.test(name);
  assert.deepEqual(readdirSync(".").filter((name) => !isLog(name)), before);
  assert.equal(await succeed("check"), `sqlite:${FILE} is sound: ${PETS} pets\n`);
});
