import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MOUNT_SKIP, withTmpfs } from "../../../support/system/disk.ts";
import { FILE, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { runServer, withServer } from "../../../support/server/server_process.ts";
import { testUnless } from "../../../support/system/commands.ts";

testUnless(MOUNT_SKIP)(
  "a server does not start in a read-only file system, and starts when it is writable",
  () =>
    withTmpfs("4m", async (folder, remount) => {
      const ledger = new Ledger();
      await withServer(folder, ON_FILE, async (server) => {
        for (let count = 0; count < 3; count++) await ledger.create(server);
        // The pets are in the log.
        await server.stop("SIGKILL");
      });
      remount("ro");
      const readFiles = () => [FILE, `${FILE}-wal`].map((name) => readFileSync(join(folder, name)));
      const before = readFiles();
      const { status, stdout, stderr } = await runServer(folder, ON_FILE);
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
