/**
 * A file that is overwritten, a volume that is replaced, and a file that is mounted by itself, with
 * a server that uses it; and imports that are stopped, or have no room. A loss of power:
 * tests/heavy/power.
 */

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute, fill } from "../../support/database.ts";
import { test } from "../../support/server/in_process.ts";
import { FILE, KEY, Ledger, ON_FILE } from "../../support/server/ledger.ts";
import {
  assertPrinted,
  assertRefused,
  makeDrafts,
  makeStore,
  readPets,
  STORE,
  toNdjson,
} from "../../support/server/pet_files.ts";
import { runCommand, ServerProcess, withServer } from "../../support/server/server_process.ts";
import { command, testUnless } from "../../support/system/commands.ts";
import { MOUNT_SKIP, overwrite, withTmpfs } from "../../support/system/disk.ts";
import { withTempFolder } from "../../support/temp.ts";
import { testWith } from "../../support/test_with.ts";
import { until } from "../../support/until.ts";

/** More pets than SQLite's two megabytes of cached pages hold, so that most reads go to the file. */
const MANY = 20_000;

const NAME = "x".repeat(250);

test.withFolder("a server whose file is overwritten refuses what it cannot read, shows nothing wrong, and lives", async (folder) => {
  const path = join(folder, FILE);
  const ledger = new Ledger();
  await makeStore(0, folder);
  fill(path, MANY, `'${NAME}'`);
  for (let id = 1; id <= MANY; id++) {
    ledger.pets.set(id, JSON.stringify({ id, name: NAME, categoryId: 7, status: "available" }));
  }
  await withServer(folder, ON_FILE, async (server) => {
    await ledger.create(server);
    overwrite(path, 0, 1000 * 4096);
    assert.ok(await ledger.countRefusedReads(server) > 0, "nothing was refused, so nothing was damaged");
    for (let count = 0; count < 5; count++) await ledger.tryCreate(server);
    await ledger.countRefusedReads(server);
    assert.equal((await server.ask("/livez", null)).status, 200);
    assert.equal(await server.stop(), 0);
    assert.match(server.written.stderr, /failed: pets\.db (is corrupt|is not an SQLite database|cannot be read)/);
  });
});

const testMounted = testWith(withTempFolder, testUnless(MOUNT_SKIP));

testMounted(
  "a server whose volume is replaced by another leaves the log of that one alone when it ends",
  (folder) =>
    withTmpfs("16m", async (right) => {
      const place = join(folder, "data");
      mkdirSync(place);
      const onPlace = { args: [`--key=${KEY}`, "--store=sqlite:data/pets.db", "--log=off"] };
      const ledger = new Ledger();
      await withServer(right, ON_FILE, async (server) => {
        for (let count = 0; count < 3; count++) await ledger.create(server);
        // The pets are in the log, as after a crash.
        await server.stop("SIGKILL");
      });
      // Files on new volumes have the same inode numbers, and SQLite checks nothing else before it deletes a log.
      command("mount", "-t", "tmpfs", "tmpfs", place);
      try {
        await withServer(folder, onPlace, async (server) => {
          await new Ledger().create(server);
          command("mount", "--bind", right, place);
          await ledger.assertRefused(server);
          assert.equal(await server.stop(), 0);
        });
        await withServer(folder, onPlace, (server) => ledger.assertShown(server));
        command("umount", place);
      } finally {
        command("umount", place);
      }
    }),
);

// Its log would be in another folder than the file.
testMounted("a file that is mounted by itself is refused by the server and by commands", async (folder) => {
  await makeStore(3, folder);
  const file = join(folder, FILE);
  const place = join(folder, "mounted");
  mkdirSync(place);
  writeFileSync(join(place, FILE), "");
  const before = readFileSync(file);
  command("mount", "--bind", file, join(place, FILE));
  try {
    for (const args of [["serve", "--port=0", "--key=k"], ["backup", "copy.db"]]) {
      const { status, stderr } = await runCommand(place, [...args, STORE]);
      assert.equal(status, 2, `${args}: ${stderr}`);
      assert.match(stderr, /pets\.db is mounted by itself, .*; mount its folder instead$/m);
    }
    assert.deepEqual(readdirSync(place), [FILE]);
    assert.deepEqual(readFileSync(file), before);
    // A backup has no log, so a command that only reads accepts it.
    execute(file, "PRAGMA journal_mode = DELETE");
    assert.equal((await runCommand(place, ["check", STORE])).status, 0);
  } finally {
    command("umount", join(place, FILE));
  }
});

test.inFolder("an import that is told to end in its transaction leaves nothing, and says so", async (folder) => {
  await makeStore(3, folder);
  writeFileSync(join(folder, "a.ndjson"), toNdjson(makeDrafts(400_000)));
  await using child = new ServerProcess(folder, { args: ["import", "a.ndjson", STORE] });
  const log = join(folder, `${FILE}-wal`);
  await until("a part of the pets in the log", () => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 2 ** 20);
  assert.equal(await child.stop("SIGTERM"), 143);
  const stderr = "petstore: Ended by SIGTERM, and nothing was changed\n";
  assert.deepEqual(child.written, { stdout: "", stderr });
  assert.equal(await readPets(folder), toNdjson(makeDrafts(3)));
});

testMounted(
  "an import on a full disk has status 1 and leaves nothing, and repeated with room it adds all",
  (elsewhere) =>
    withTmpfs("3m", async (folder, remount) => {
      const drafts = makeDrafts(100_000);
      const file = join(elsewhere, "a.ndjson");
      writeFileSync(file, toNdjson(drafts));
      await makeStore(0, folder);
      assertRefused(await runCommand(folder, ["import", file, STORE]), /full/, 1);
      assert.equal(await readPets(folder), "");
      remount("size=64m");
      assertPrinted(await runCommand(folder, ["import", file, STORE]), `${file}: 100000 pets added`);
      assert.equal(await readPets(folder), toNdjson(drafts));
    }),
);
