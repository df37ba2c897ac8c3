/** The largest file that the server may write, which any user can set; the system tells by a signal that kills. */

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { limit, PRLIMIT_SKIP } from "../../support/system/disk.ts";
import { FILE, Ledger, ON_FILE } from "../../support/server/ledger.ts";
import { withServer } from "../../support/server/server_process.ts";
import { withTempFolder } from "../../support/temp.ts";
import { testUnless } from "../../support/system/commands.ts";

const test = testUnless(PRLIMIT_SKIP);

test("a limit on the size of files stops creates and nothing else, until it is lifted", () =>
  withTempFolder(async (folder) => {
    const ledger = new Ledger();
    await withServer(folder, ON_FILE, async (server) => {
      await ledger.create(server);
      limit(server, "fsize", statSync(join(folder, `${FILE}-wal`)).size + 40_000);
      await ledger.createUntilRefused(server, 100);
      await ledger.assertRefused(server);
      await ledger.assertShown(server);
      limit(server, "fsize", "unlimited");
      await ledger.create(server);
      await ledger.assertShown(server);
      assert.equal(await server.stop(), 0);
    });
    ledger.assertInFile(join(folder, FILE));
    await withServer(folder, ON_FILE, (server) => ledger.assertShown(server));
  }));
