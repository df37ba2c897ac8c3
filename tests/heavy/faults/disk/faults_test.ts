import assert from "node:assert/strict";
import { join } from "node:path";
import { IMMUTABLE_SKIP, MOUNT_SKIP, whileImmutable, withTmpfs } from "../../../support/system/disk.ts";
import { FILE, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { type ServerProcess, withServer } from "../../../support/server/server_process.ts";
import { withTempFolder } from "../../../support/temp.ts";
import { until } from "../../../support/until.ts";
import { testUnless } from "../../../support/system/commands.ts";

/** While creates are refused, reads are right and the server lives. */
async function assertServesReads(server: ServerProcess, ledger: Ledger): Promise<void> {
  await ledger.assertRefused(server);
  await ledger.assertShown(server);
  assert.equal((await server.ask("/livez", null)).status, 200);
}

/** After the fault, creates succeed without a restart, and acknowledged pets survive one. */
async function assertRecovers(folder: string, server: ServerProcess, ledger: Ledger): Promise<void> {
  await ledger.create(server);
  await ledger.assertShown(server);
  assert.equal(await server.stop(), 0);
  // A failure is one line: a stack trace would look like a defect.
  assert.doesNotMatch(server.written.stderr, /^ +at /m);
  ledger.assertInFile(join(folder, FILE));
  await withServer(folder, ON_FILE, (restarted) => ledger.assertShown(restarted));
}

testUnless(MOUNT_SKIP)(
  "a full disk stops creates and nothing else, also in a server that starts on it, until there is room",
  () =>
    withTmpfs("320k", async (folder, remount) => {
      const ledger = new Ledger();
      await withServer(folder, ON_FILE, async (server) => {
        for (let count = 0; await ledger.tryCreate(server, "x".repeat(255)); count++) {
          assert.ok(count < 500, "500 pets were added, and none was refused");
        }
        await assertServesReads(server, ledger);
        assert.equal((await server.ask("/readyz", null)).status, 200);
        assert.equal((await server.ask("/readyz?writes", null)).status, 503);
        await server.stop("SIGKILL");
      });
      await withServer(folder, ON_FILE, async (server) => {
        await ledger.assertShown(server);
        remount("size=4m");
        await until("writes are possible", async () => (await server.ask("/readyz?writes", null)).status === 200);
        await assertRecovers(folder, server, ledger);
      });
    }),
);

testUnless(IMMUTABLE_SKIP)(
  "a log that becomes read-only stops creates, until it can be written to",
  () =>
    withTempFolder(async (folder) => {
      const ledger = new Ledger();
      await withServer(folder, ON_FILE, async (server) => {
        await ledger.create(server);
        await whileImmutable([join(folder, `${FILE}-wal`)], () => assertServesReads(server, ledger));
        await assertRecovers(folder, server, ledger);
      });
    }),
);
