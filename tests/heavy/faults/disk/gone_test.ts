import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { MOUNT_SKIP, withTmpfs } from "../../../support/system/disk.ts";
import { KEY, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { withServer } from "../../../support/server/server_process.ts";
import { command, testUnless } from "../../../support/system/commands.ts";

testUnless(MOUNT_SKIP)(
  "a server whose volume is replaced by another leaves the log of that one alone when it ends",
  () =>
    withTmpfs("16m", (right) =>
      withTmpfs("16m", async (folder) => {
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
      })),
);
