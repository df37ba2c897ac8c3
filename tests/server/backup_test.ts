/** `backup`: what becomes of the copy, its name, and the disk below it. */

import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inFolder, test, withServerHere } from "../support/server/in_process.ts";
import { KEY, Ledger, ON_FILE } from "../support/server/ledger.ts";
import { assertRefused, makeStore, refuse, runLine, STORE, succeed } from "../support/server/pet_files.ts";
import { runCommand, ServerProcess, walk, withServer } from "../support/server/server_process.ts";
import { environment, serverCommand } from "../support/server/serve_task.ts";
import { fill } from "../support/database.ts";
import { fillUp, MOUNT_SKIP, withTmpfs } from "../support/system/disk.ts";
import { testUnless, TRACE_SKIP } from "../support/system/commands.ts";
import { Child } from "../support/system/child.ts";
import { withTempFolder } from "../support/temp.ts";
import { testWith } from "../support/test_with.ts";

test.inFolder("backup copies what a running server has, for its owner alone, and a server starts on the copy", async (folder) => {
  const ledger = new Ledger();
  await withServer(folder, ON_FILE, async (server) => {
    for (let i = 0; i < 5; i++) await ledger.create(server);
    const files = readdirSync(folder);
    const copied = await runLine("backup copy.db");
    assert.match(copied.stdout, /^copy\.db: 5 pets, \d+ bytes, checked\n$/);
    assert.deepEqual([copied.status, copied.stderr], [0, ""]);
    assert.deepEqual(readdirSync(folder).toSorted(), [...files, "copy.db"].toSorted());
  });
  assert.equal((Deno.statSync(join(folder, "copy.db")).mode ?? 0) & 0o777, 0o600);
  ledger.assertInFile(join(folder, "copy.db"));
  const parts = { args: [`--key=${KEY}`, "--store=sqlite:copy.db"] };
  await withServerHere(parts, async (server) => assert.deepEqual(await walk(KEY, server), ledger.inOrder()));
});

test.inFolder("a file beyond the limit of the system for its size is a failure that is told, and nothing is left of it", async (folder) => {
  await makeStore(1);
  fill("pets.db", 5000);
  const files = readdirSync(folder);
  for (const args of [["backup", "copy.db", STORE], ["export", "pets.ndjson", STORE]]) {
    // The size is given in blocks of 512 bytes.
    const { status, stderr } = await new ServerProcess(folder, { args, limit: "-f 100" }).run();
    assert.notEqual(status, 0);
    assert.match(stderr, /^petstore: The (backup|export) failed: .*(the disk is full|file too large)/);
    assert.deepEqual(readdirSync(folder), files);
  }
});

const testMounted = testWith(inFolder, testUnless(MOUNT_SKIP));

test.inFolder("backup, restore and export take a name that SQLite would read as a URI for the name of a file", async () => {
  await makeStore(3);
  writeFileSync("other.db", "of another program");
  const other = readFileSync("other.db");
  const names = ["file:other.db#1", "file:copy.db?mode=memory", ":memory:", "copy%41.db", "copy.db?x#y"];
  /** The path of a store has no question mark, because other programs would begin parameters there. */
  const storeFrom = (name: string) => join(Deno.cwd(), `from${name.replace(/\?|%3F/, "")}`);
  const before = readdirSync(".");
  for (const name of names.map(encodeURIComponent)) {
    assert.match(await succeed(`backup ${name}`), /: 3 pets, \d+ bytes, checked\n$/);
    await succeed(`restore ${name} --store=sqlite:${storeFrom(name)}`);
    await succeed(`export ${name}.ndjson`);
  }
  const made = names.flatMap((name) => [name, basename(storeFrom(name)), `${name}.ndjson`]);
  const isLog = (name: string) => /-(wal|shm)$/.test(name);
  assert.deepEqual(
    readdirSync(".").filter((name) => !isLog(name)).sort(),
    [...before.filter((n) => !isLog(n)), ...made].sort(),
  );
  assert.deepEqual(readFileSync("other.db"), other);
});

test.inFolder("a log that a killed backup has left beside its unfinished copy does not get into the next one", async () => {
  await makeStore(1);
  writeFileSync("new.db.0.tmp-wal", "a log");
  await succeed("backup new.db");
});

testMounted("a backup on a full disk has status 1, says which disk, and leaves nothing", async () => {
  await makeStore(500);
  await withTmpfs("64k", async (full) => {
    fillUp(join(full, "full"));
    await refuse(`backup ${full}/copy.db`, /copy of pets\.db .*(full|no space)/i, 1);
    assert.deepEqual(readdirSync(full), ["full"]);
  });
});

testMounted("a backup and an export follow `..` behind a link to another file system", async () => {
  await makeStore(1);
  await withTmpfs("4m", async (mount) => {
    Deno.mkdirSync(join(mount, "inner"));
    Deno.symlinkSync(join(mount, "inner"), "link");
    await succeed("backup link/../copy.db");
    await succeed("export link/../pets.ndjson");
    assert.deepEqual(readdirSync(mount).toSorted(), ["copy.db", "inner", "pets.ndjson"]);
  });
});

testMounted("a backup on a read-only mount is checked, exported and copied there", async () => {
  await makeStore(3);
  await withTmpfs("4m", async (mount, remount) => {
    await succeed(`backup ${mount}/copy.db`);
    copyFileSync("pets.db", join(mount, "used.db"));
    remount("ro");
    await refuse(
      `check --store=sqlite:${mount}/used.db`,
      /used\.db (can only be read by a user who|cannot be opened; it must be)/,
    );
    const printed: string[] = [];
    for (const line of ["check", "keys list", "export", "backup copy.db.backup"]) {
      const { status, stdout, stderr } = await runLine(`${line} --store=sqlite:${mount}/copy.db`);
      assert.deepEqual([status, stderr], [0, ""]);
      printed.push(stdout);
    }
    assert.match(printed[0]!, /is sound: 3 pets/);
    assert.deepEqual(readdirSync(mount).toSorted(), ["copy.db", "used.db"]);
  });
});

test.inFolder("check, backup and a start on a file that another program has locked have status 1", async (folder) => {
  await makeStore(1);
  using other = new DatabaseSync("pets.db");
  other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM pets");
  // This file has no tables yet, so a start needs the lock to make them.
  using empty = new DatabaseSync("empty.db");
  empty.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE");
  // In processes, because each waits for a second.
  const commands = [["check", STORE], ["backup", "copy.db", STORE], ["serve", "--port=0", "--store=sqlite:empty.db"]];
  for (const exit of await Promise.all(commands.map((args) => runCommand(folder, args)))) {
    assertRefused(exit, /is locked by another process/, 1);
  }
  assert.ok(!readdirSync(".").some((name) => name.startsWith("copy.db")));
});

testWith(withTempFolder, testUnless(TRACE_SKIP))(
  "backup works on a file system without hard links, and replaces no file there either",
  async (folder) => {
    await makeStore(1, folder);
    // The filter lets other calls of the system pass without a stop.
    const inject = ["-e", "trace=link,linkat", "-e", "inject=link,linkat:error=EPERM"];
    const args = [
      "-f",
      "--seccomp-bpf",
      "-qq",
      "-o",
      "/dev/null",
      ...inject,
      ...serverCommand(),
      "backup",
      "copy.db",
      STORE,
    ];
    const options = { cwd: folder, clearEnv: true, env: environment() };
    const { status, stderr } = await new Child("strace", args, options).run();
    assert.deepEqual([status, stderr], [0, ""]);
    assertRefused(await new Child("strace", args, options).run(), /exists already/);
    assert.deepEqual(readdirSync(folder).toSorted(), ["copy.db", "pets.db"]);
  },
);
