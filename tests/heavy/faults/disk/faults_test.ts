/** A disk that is full or read-only, on Deno and on Node. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MOUNT_SKIP, withTmpfs } from "../../../support/system/disk.ts";
import { FILE, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { runCommand, withServer } from "../../../support/server/server_process.ts";
import { until } from "../../../support/until.ts";
import { testUnless } from "../../../support/system/commands.ts";

const test = testUnless(MOUNT_SKIP);

test("a full disk stops creates and nothing else, also in a server that starts on it, until there is room", () =>
  withTmpfs("320k", async (folder, remount) => {
    const ledger = new Ledger();
    await withServer(folder, ON_FILE, async (server) => {
      for (let count = 0; await ledger.tryCreate(server, "x".repeat(255)); count++) {
        assert.ok(count < 500, "500 pets were added, and none was refused");
      }
      await ledger.assertRefused(server);
      await ledger.assertShown(server);
      assert.equal((await server.ask("/readyz", null)).status, 200);
      assert.equal((await server.ask("/readyz?writes", null)).status, 503);
      await server.stop("SIGKILL");
    });
    await withServer(folder, ON_FILE, async (server) => {
      await ledger.assertShown(server);
      remount("size=4m");
      await until("writes are possible", async () => (await server.ask("/readyz?writes", null)).status === 200);
      await ledger.create(server);
      assert.equal(await server.stop(), 0);
      // A failure is one line: a stack trace would look like a defect.
      assert.doesNotMatch(server.written.stderr, /^ +at /m);
      ledger.assertInFile(join(folder, FILE));
    });
  }));

test("a server does not start in a read-only file system, and starts when it is writable", () =>
  withTmpfs("4m", async (folder, remount) => {
    const ledger = new Ledger();
    await withServer(folder, ON_FILE, async (server) => {
      await ledger.create(server);
      // The pet is in the log.
      await server.stop("SIGKILL");
    });
    remount("ro");
    const readFiles = () => [FILE, `${FILE}-wal`].map((name) => readFileSync(join(folder, name)));
    const before = readFiles();
    const { status, stdout, stderr } = await runCommand(folder, ["--port=0", ...ON_FILE.args!]);
    assert.match(stderr, /^petstore: pets\.db [^\n]*(folder must exist and be writable|cannot be written to)[^\n]*\n$/);
    assert.deepEqual([status, stdout], [2, ""]);
    assert.deepEqual(readFiles(), before);
    remount("rw");
    await withServer(folder, ON_FILE, (server) => ledger.assertShown(server));
  }));
