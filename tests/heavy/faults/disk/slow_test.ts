/** A disk that becomes slow, or fails to keep what was written, under a running server. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FILE, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { type ServerProcess, withServer } from "../../../support/server/server_process.ts";
import { testUnless } from "../../../support/system/commands.ts";
import { SLOW_SKIP, slowDisk } from "../../../support/system/disk.ts";
import { untilLocked } from "../../../support/database.ts";
import { withTempFolder } from "../../../support/temp.ts";

const test = testUnless(SLOW_SKIP);

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

test("each time when the disk of a running server becomes slow, reads do not wait for it, and no create is acknowledged early", () =>
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
  }));

test("a create whose sync fails says that it may have been stored, and creates succeed again when the disk keeps data", () =>
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
  }));
