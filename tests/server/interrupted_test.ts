/** Commands that take long end soon after a signal, with a status of it, and leave nothing behind. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { SqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { fill } from "../support/database.ts";
import { runHere, test } from "../support/server/in_process.ts";
import { runCommand, ServerProcess } from "../support/server/server_process.ts";
import { until } from "../support/until.ts";

const FILE = "pets.db", STORE = `--store=sqlite:${FILE}`;

/** So many pets keep a command at work for longer than a test needs to send a signal. */
const PETS = 150_000;

async function makeStore(folder: string): Promise<void> {
  await SqliteStore.open(join(folder, FILE), "never").close();
  fill(join(folder, FILE), PETS);
}

/**
 * Sends the signal as soon as a file with this name is there. On a busy machine, the command may be done before it comes. Then what it
 * has made is removed, and it runs again.
 */
async function interrupt(
  folder: string,
  args: string[],
  unfinished: RegExp,
  signal: Deno.Signal,
): Promise<number | null> {
  const before = readdirSync(folder);
  for (let attempt = 0;; attempt++) {
    await using child = new ServerProcess(folder, { args });
    let isDone = false;
    child.exit().then(() => isDone = true, () => {});
    await until("an unfinished file", () => isDone || readdirSync(folder).some((name) => unfinished.test(name)));
    const status = await child.stop(signal);
    if (status !== 0 || attempt === 10) return status;
    for (const name of readdirSync(folder)) if (!before.includes(name)) rmSync(join(folder, name));
  }
}

test.withFolder("a signal ends a backup and an export, which leave no file", async (folder) => {
  await makeStore(folder);
  for (const [command, signal, status] of [["backup", "SIGINT", 130], ["export", "SIGTERM", 143]] as const) {
    const ended = await interrupt(folder, [command, "copy", STORE], /^copy\.0\.tmp$/, signal);
    assert.equal(ended, status, command);
    const left = readdirSync(folder).filter((name) => name.startsWith("copy"));
    assert.deepEqual(left, [], command);
  }
});

test.withFolder("a signal ends a restore, and the file until now has its pets", async (folder) => {
  await makeStore(folder);
  const copied = await runCommand(folder, ["backup", "copy.db", STORE]);
  assert.equal(copied.status, 0, copied.stderr);
  const ended = await interrupt(folder, ["restore", "copy.db", STORE], /^pets\.db\.0\.tmp$/, "SIGTERM");
  assert.equal(ended, 143);
  assert.equal((await runCommand(folder, ["check", STORE])).stdout, `sqlite:${FILE} is sound: ${PETS} pets\n`);
  assert.deepEqual(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name)).toSorted(), ["copy.db", FILE]);
  assert.equal((await runCommand(folder, ["restore", "copy.db", STORE])).status, 0);
  assert.ok(existsSync(join(folder, FILE)));
});

test.inFolder("a command that has made its file, or could not, listens to no signal any more", async () => {
  await SqliteStore.open(FILE, "never").close();
  const count = () => (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => process.listenerCount(signal));
  const before = count();
  assert.equal((await runHere(["backup", "copy.db", STORE])).status, 0);
  assert.equal((await runHere(["backup", "copy.db", STORE])).status, 2);
  assert.equal((await runHere(["export", "no/such/folder", STORE])).status, 2);
  // The first two fail before there is a temporary file, and these after that.
  for (const command of ["backup", "export"]) {
    assert.equal((await runHere([command, "other", "--store=sqlite:missing.db"])).status, 2);
  }
  assert.deepEqual(count(), before);
});
