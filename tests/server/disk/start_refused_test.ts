/** Starts that must be refused although SQLite would go on. */

import assert from "node:assert/strict";
import { chmodSync, existsSync, renameSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { IMMUTABLE_SKIP, whileImmutable } from "../../support/system/disk.ts";
import { FILE, Ledger, ON_FILE } from "../../support/server/ledger.ts";
import { runServer, withServer } from "../../support/server/server_process.ts";
import { withTempFolder } from "../../support/temp.ts";
import { testUnless } from "../../support/system/commands.ts";

const testImmutable = testUnless(IMMUTABLE_SKIP);

/** A folder with a file and a log, as a killed server leaves them. */
function withKilled(use: (folder: string, path: string, ledger: Ledger) => Promise<void>): Promise<void> {
  return withTempFolder(async (folder) => {
    const ledger = new Ledger();
    await withServer(folder, ON_FILE, async (server) => {
      for (let count = 0; count < 10; count++) await ledger.create(server);
      await server.stop("SIGKILL");
    });
    await use(folder, join(folder, FILE), ledger);
  });
}

async function assertRefused(folder: string, line: RegExp): Promise<void> {
  const { status, stdout, stderr } = await runServer(folder, { args: ["--port=0", ...ON_FILE.args!] });
  assert.deepEqual([status, stdout], [2, ""]);
  assert.match(stderr, /^petstore: pets\.db [^\n]+\n$/);
  assert.match(stderr, line);
}

// SQLite would open it read-only, and this run would refuse all creates.
const ROOT_SKIP = Deno.uid() === 0 && "root may write whatever the mode says";
const testAsUser = testUnless(ROOT_SKIP);
testAsUser("a server does not start on a file that it may not write", () =>
  withKilled(async (folder, path, ledger) => {
    chmodSync(path, 0o400);
    await assertRefused(folder, /cannot be written to/);
    chmodSync(path, 0o600);
    await withServer(folder, ON_FILE, (server) => ledger.assertShown(server));
  }));

testImmutable(
  "a server does not start on a file that no user may write",
  () =>
    withKilled(async (folder, path, ledger) => {
      await whileImmutable([path], () => assertRefused(folder, /cannot be written to/));
      await withServer(folder, ON_FILE, (server) => ledger.assertShown(server));
    }),
);

// SQLite would delete the log as a left-over and give the same ids again.
test("a server does not start where a log is left and its file is missing, and starts when it is back", () =>
  withKilled(async (folder, path, ledger) => {
    renameSync(path, `${path}.moved`);
    await assertRefused(folder, /log/);
    assert.ok(!existsSync(path), "a new file was made");
    renameSync(`${path}.moved`, path);
    await withServer(folder, ON_FILE, (server) => ledger.assertShown(server));
    ledger.assertInFile(path);
  }));

test("a server does not start where a log is left and its file is empty", () =>
  withKilled(async (folder, path) => {
    truncateSync(path, 0);
    const log = Deno.readFileSync(`${path}-wal`);
    await assertRefused(folder, /log/);
    assert.deepEqual(Deno.readFileSync(`${path}-wal`), log);
  }));
