/** A disk that is full or read-only, becomes slow, or fails to keep what was written, on Deno and on Node. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { untilLocked } from "../../support/database.ts";
import { FILE, Ledger, ON_FILE } from "../../support/server/ledger.ts";
import { runCommand, type ServerProcess, withServer } from "../../support/server/server_process.ts";
import { testUnless } from "../../support/system/commands.ts";
import { MOUNT_SKIP, SLOW_SKIP, slowDisk, withTmpfs } from "../../support/system/disk.ts";
import { withTempFolder } from "../../support/temp.ts";
import { until } from "../../support/until.ts";

const testMounted = testUnless(MOUNT_SKIP);

testMounted(
  "a full disk stops creates and nothing else, also in a server that starts on it, until there is room",
  () =>
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
    }),
);

testMounted(
  "a server does not start in a read-only file system, and starts when it is writable",
  () =>
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
      assert.match(
        stderr,
        /^petstore: pets\.db [^\n]*(folder must exist and be writable|cannot be written to)[^\n]*\n$/,
      );
      assert.deepEqual([status, stdout], [2, ""]);
      assert.deepEqual(readFiles(), before);
      remount("rw");
      await withServer(folder, ON_FILE, (server) => ledger.assertShown(server));
    }),
);

const testSlow = testUnless(SLOW_SKIP);

interface Setup {
  server: ServerProcess;
  ledger: Ledger;
  folder: string;
  /** Says how many milliseconds longer each sync takes. With -1, it fails. */
  setDelay: (milliseconds: number) => void;
}

/** Runs `use` with a server, and starts another one afterwards, which must show the acknowledged pets. */
function withSlowDisk(use: (setup: Setup) => Promise<unknown>): Promise<void> {
  return withTempFolder(async (folder) => {
    const { env, setDelay } = slowDisk(folder);
    const ledger = new Ledger();
    await withServer(folder, { ...ON_FILE, env }, (server) => use({ server, ledger, folder, setDelay }));
    await withServer(folder, ON_FILE, (server) => ledger.assertShown(server));
  });
}

testSlow(
  "each time when the disk of a running server becomes slow, reads do not wait for it, and no create is acknowledged early",
  () =>
    withSlowDisk(async ({ server, ledger, folder, setDelay }) => {
      using other = new DatabaseSync(join(folder, FILE), { timeout: 0 });
      for (let time = 0; time < 2; time++) {
        for (let count = 0; count < 8; count++) await ledger.create(server);
        setDelay(100);
        await ledger.create(server);
        setDelay(600_000);
        let isDone = false;
        const create = ledger.create(server).then(() => isDone = true);
        await untilLocked(other);
        await ledger.assertShown(server);
        assert.equal(isDone, false);
        setDelay(0);
        await create;
      }
      assert.equal(await server.stop(), 0);
    }),
);

testSlow(
  "a create whose sync fails says that it may have been stored, and creates succeed again when the disk keeps data",
  () =>
    withSlowDisk(async ({ server, ledger, setDelay }) => {
      await ledger.create(server);
      setDelay(-1);
      // One alone is committed on the thread that serves, and several on the thread that writes.
      for (const count of [1, 6]) {
        const creates = Array.from({ length: count }, () => ledger.send(server, "Lost", "any"));
        for (const { status, text } of await Promise.all(creates)) {
          assert.equal(status, 503);
          assert.match(text, /may have been stored/);
        }
      }
      await ledger.assertShown(server);
      setDelay(0);
      await ledger.create(server);
      await server.stop("SIGKILL");
    }),
);
