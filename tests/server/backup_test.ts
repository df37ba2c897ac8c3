/** `backup`: what becomes of the copy, its name, and the disk below it. */

import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inFolder, test, withServerHere } from "../support/server/in_process.ts";
import { KEY, Ledger, ON_FILE } from "../support/server/ledger.ts";
import { makeStore, refuse, runLine, STORE, succeed } from "../support/server/pet_files.ts";
import { ServerProcess, walk, withServer } from "../support/server/server_process.ts";
import { fill } from "../support/database.ts";
import { fillUp, MOUNT_SKIP, withTmpfs } from "../support/system/disk.ts";
import { testUnless } from "../support/system/commands.ts";
import { testWith } from "../support/test_with.ts";

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

test.inFolder("check and backup of a file that another program has locked have status 1", async () => {
  await makeStore(1);
  using other = new DatabaseSync("pets.db");
  other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM pets");
  for (const line of ["check", "backup copy.db"]) await refuse(line, /is locked by another process/, 1);
  assert.ok(!readdirSync(".").some((name) => name.startsWith("copy.db")));
});
