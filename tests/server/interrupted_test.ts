/** Commands that take long end soon after a signal, with a status of it, and leave nothing behind. */

import assert from "node:assert/strict";
import { FILE, makeStore, STORE, succeed } from "../support/server/pet_files.ts";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fill } from "../support/database.ts";
import { test } from "../support/server/in_process.ts";
import { ServerProcess } from "../support/server/server_process.ts";
import { until } from "../support/until.ts";

/** So many pets keep a command at work for longer than a test needs to send a signal. */
const PETS = 150_000;

/**
 * Sends the signal as soon as a file with this name is there. On a busy machine, the command may be
 * done before it comes. Then what it has made is removed, and it runs again.
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

test.inFolder("a signal ends a backup and an export, which leave no file, and a restore, which leaves the file until now", async (folder) => {
  await makeStore(0);
  fill(FILE, PETS);
  await succeed("backup kept.db");
  const before = readdirSync(".");
  for (
    const [args, unfinished, signal, status] of [
      [["backup", "copy"], /^copy\.\d+\.tmp$/, "SIGINT", 130],
      [["export", "copy"], /^copy\.\d+\.tmp$/, "SIGTERM", 143],
      [["restore", "kept.db"], /^pets\.db\.\d+\.tmp$/, "SIGTERM", 143],
    ] as const
  ) {
    assert.equal(await interrupt(folder, [...args, STORE], unfinished, signal), status, args[0]);
    const isLog = (name: string) => /-(wal|shm)$/.test(name);
    assert.deepEqual(readdirSync(".").filter((name) => !isLog(name)), before.filter((name) => !isLog(name)), args[0]);
  }
  assert.equal(await succeed("check"), `sqlite:${FILE} is sound: ${PETS} pets\n`);
});
