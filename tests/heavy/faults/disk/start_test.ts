import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { IMMUTABLE_SKIP, MOUNT_SKIP, whileImmutable, withTmpfs } from "../../../support/system/disk.ts";
import { FILE, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { runServer, withServer } from "../../../support/server/server_process.ts";
import { withTempFolder } from "../../../support/temp.ts";
import { testUnless } from "../../../support/system/commands.ts";

const test = { immutable: testUnless(IMMUTABLE_SKIP), mounted: testUnless(MOUNT_SKIP) };

/** The start prints one line, exits with 2 and leaves the files unchanged. */
async function assertRefused(folder: string, line: RegExp): Promise<void> {
  const kept = [FILE, `${FILE}-wal`].map((name) => join(folder, name)).filter((path) => existsSync(path));
  const before = kept.map((path) => Deno.readFileSync(path).toBase64());
  const { status, stdout, stderr } = await runServer(folder, ON_FILE);
  assert.match(stderr, /^petstore: pets\.db [^\n]+\n$/);
  assert.match(stderr, line);
  assert.deepEqual([status, stdout], [2, ""]);
  for (const [i, path] of kept.entries()) assert.ok(Deno.readFileSync(path).toBase64() === before[i], path);
  assert.equal(existsSync(join(folder, FILE)), kept.includes(join(folder, FILE)));
}

/** Makes a file with a few pets, which are in the log after SIGKILL. */
async function makeFile(folder: string): Promise<Ledger> {
  const ledger = new Ledger();
  await withServer(folder, ON_FILE, async (server) => {
    for (let count = 0; count < 3; count++) await ledger.create(server);
    await server.stop("SIGKILL");
  });
  return ledger;
}

test.mounted("a server does not start in a read-only file system, and starts when it is writable", () =>
  withTmpfs("4m", async (folder, remount) => {
    const ledger = await makeFile(folder);
    remount("ro");
    await assertRefused(folder, /folder must exist and be writable|cannot be written to/);
    remount("rw");
    await withServer(folder, ON_FILE, (server) => ledger.assertShown(server));
  }));

test.immutable("a server does not start on a file that no user may write", () =>
  withTempFolder(async (folder) => {
    const ledger = await makeFile(folder);
    await whileImmutable([join(folder, FILE)], () => assertRefused(folder, /cannot be written to/));
    await withServer(folder, ON_FILE, (server) => ledger.assertShown(server));
  }));
