import assert from "node:assert/strict";
import { join } from "node:path";
import { fillUp, IMMUTABLE_SKIP, MOUNT_SKIP, whileImmutable, withTmpfs } from "../../../support/system/disk.ts";
import { FILE, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { type ServerProcess, withServer } from "../../../support/server/server_process.ts";
import { withTempFolder } from "../../../support/temp.ts";
import { until } from "../../../support/until.ts";
import { command, skipUnless, testUnless } from "../../../support/system/commands.ts";

const LOOP_SKIP = MOUNT_SKIP ||
  skipUnless(["losetup", "mkfs.ext4"], "a free loop device", () => command("losetup", "--find"));

const test = {
  immutable: testUnless(IMMUTABLE_SKIP),
  onLoop: testUnless(LOOP_SKIP),
  mounted: testUnless(MOUNT_SKIP),
};

/**
 * A disk that cannot write any more after `fail`: a sparse file on a file system that is then full. `write` succeeds,
 * into memory, and `fsync` fails. `mend` makes room again.
 */
function withFailingDisk<T>(
  use: (folder: string, fail: () => void, mend: () => void) => Promise<T>,
): Promise<T> {
  return withTmpfs("4m", async (backing) => {
    const image = join(backing, "image"), fill = join(backing, "fill"), folder = join(backing, "mounted");
    command("truncate", "--size=32m", image);
    // Without a journal, so that the file system stays usable.
    command("mkfs.ext4", "-q", "-O", "^has_journal", "-N", "16", "-E", "nodiscard", image);
    Deno.mkdirSync(folder);
    const device = command("losetup", "--find", "--show", image);
    try {
      command("mount", device, folder);
      try {
        return await use(folder, () => fillUp(fill), () => Deno.removeSync(fill));
      } finally {
        command("umount", folder);
      }
    } finally {
      command("losetup", "--detach", device);
    }
  });
}

/** While creates are refused, reads are right and the server lives. */
async function assertServesReads(server: ServerProcess, ledger: Ledger): Promise<void> {
  await ledger.assertRefused(server);
  await ledger.assertShown(server);
  assert.equal((await server.ask("/livez", null)).status, 200);
}

/** Adds pets with the longest name until one is refused; fails after `most`. */
async function createUntilRefused(ledger: Ledger, server: ServerProcess, most: number): Promise<void> {
  for (let count = 0; await ledger.tryCreate(server, "x".repeat(255)); count++) {
    assert.ok(count < most, `${most} pets were added, and none was refused`);
  }
}

function untilWritable(server: ServerProcess): Promise<void> {
  return until("writes are possible", async () => (await server.ask("/readyz?writes", null)).status === 200);
}

/** After the fault, creates succeed without a restart, and acknowledged pets survive one. */
async function assertRecovers(
  folder: string,
  server: ServerProcess,
  ledger: Ledger,
  create = () => ledger.create(server),
): Promise<void> {
  await create();
  await ledger.assertShown(server);
  assert.equal(await server.stop(), 0);
  // A failure is one line: a stack trace would look like a defect.
  assert.doesNotMatch(server.written.stderr, /^ +at /m);
  ledger.assertInFile(join(folder, FILE));
  await withServer(folder, ON_FILE, (restarted) => ledger.assertShown(restarted));
}

test.mounted("a full disk stops creates and nothing else, also in a server that starts on it, until there is room", () =>
  withTmpfs("320k", async (folder, remount) => {
    const ledger = new Ledger();
    await withServer(folder, ON_FILE, async (server) => {
      await createUntilRefused(ledger, server, 500);
      await assertServesReads(server, ledger);
      assert.equal((await server.ask("/readyz", null)).status, 200);
      assert.equal((await server.ask("/readyz?writes", null)).status, 503);
      await server.stop("SIGKILL");
    });
    await withServer(folder, ON_FILE, async (server) => {
      await ledger.assertShown(server);
      remount("size=4m");
      await untilWritable(server);
      await assertRecovers(folder, server, ledger);
    });
  }));

test.onLoop("a disk that takes data and fails to keep it stops creates, until it keeps them again", () =>
  withFailingDisk(async (folder, fail, mend) => {
    const ledger = new Ledger();
    await withServer(folder, ON_FILE, async (server) => {
      await ledger.create(server);
      fail();
      // The disk still has allocated blocks.
      await createUntilRefused(ledger, server, 100);
      await assertServesReads(server, ledger);
      mend();
      await untilWritable(server);
      // Linux reports a write that failed in the background at the next fsync of each open file, even if the disk is sound by then. So each of
      // the two connections may refuse its first create, and a slow machine may not use the second one for long.
      await assertRecovers(folder, server, ledger, () => until("a create succeeds", () => ledger.tryCreate(server)));
    });
  }));

test.immutable("a log that becomes read-only stops creates, until it can be written to", () =>
  withTempFolder(async (folder) => {
    const ledger = new Ledger();
    await withServer(folder, ON_FILE, async (server) => {
      await ledger.create(server);
      await whileImmutable([join(folder, `${FILE}-wal`)], () => assertServesReads(server, ledger));
      await assertRecovers(folder, server, ledger);
    });
  }));
