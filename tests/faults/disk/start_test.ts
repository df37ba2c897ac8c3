import assert from "node:assert/strict";
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { IMMUTABLE_SKIP, MOUNT_SKIP, overwrite, whileImmutable, withTmpfs } from "../../support/system/disk.ts";
import { FILE, KEY, Ledger, ON_FILE } from "../../support/server/ledger.ts";
import { runServer, walk, withServer } from "../../support/server/server_process.ts";
import { withTempFolder } from "../../support/temp.ts";
import { testUnless } from "../../support/system/commands.ts";

const test = Object.assign(testUnless(false), {
  immutable: testUnless(IMMUTABLE_SKIP),
  mounted: testUnless(MOUNT_SKIP),
});

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

/** A folder with a file of two hundred pets. After SIGKILL, half of them are in the log. */
async function withFile(
  { stop = "SIGTERM" as Deno.Signal },
  use: (folder: string, path: string, ledger: Ledger) => Promise<void>,
): Promise<void> {
  const { files, ledger } = await (made.get(stop) ?? make(stop));
  await withTempFolder(async (folder) => {
    for (const [name, bytes] of files) Deno.writeFileSync(join(folder, name), bytes);
    await use(folder, join(folder, FILE), ledger);
  });
}

interface Made {
  files: [name: string, bytes: Uint8Array][];
  ledger: Ledger;
}

/** The files after each kind of stop, made once. No test adds to the ledger. */
const made = new Map<Deno.Signal, Promise<Made>>();

function make(stop: Deno.Signal): Promise<Made> {
  const files = withTempFolder(async (folder) => {
    const ledger = await makeFile(folder, stop);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    return { ledger, files: names.map((name): Made["files"][number] => [name, Deno.readFileSync(join(folder, name))]) };
  });
  made.set(stop, files);
  return files;
}

async function makeFile(folder: string, stop: Deno.Signal): Promise<Ledger> {
  const ledger = new Ledger();
  await withServer(folder, ON_FILE, async (server) => {
    for (const half of [100, 200]) {
      while (ledger.pets.size < half) {
        await Promise.all(Array.from({ length: 20 }, () => ledger.create(server, "x".repeat(255))));
      }
      if (half === 100) moveLogIntoFile(join(folder, FILE));
    }
    await server.stop(stop);
  });
  return ledger;
}

function moveLogIntoFile(path: string): void {
  using db = new DatabaseSync(path);
  // The server may be reading, and a checkpoint that cannot be complete does not fail.
  db.exec("PRAGMA busy_timeout = 30000");
  assert.equal(db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"], 0);
}

/** A start shows exactly the first `count` acknowledged pets. */
async function assertShowsFirst(folder: string, count: number, ledger: Ledger): Promise<void> {
  await withServer(folder, ON_FILE, async (server) => {
    assert.deepEqual(await walk(KEY, server), ledger.inOrder().slice(0, count));
  });
}

test.mounted("a server does not start in a read-only file system, and starts when it is writable", () =>
  withTmpfs("4m", async (folder, remount) => {
    const ledger = await makeFile(folder, "SIGTERM");
    remount("ro");
    await assertRefused(folder, /folder must exist and be writable|cannot be written to/);
    remount("rw");
    await withServer(folder, ON_FILE, (server) => ledger.assertShown(server));
  }));

// Whole pages: SQLite knows a page by its head. Without checksums, it would show rubbish inside a name.
test("a server on a file with pages of rubbish in its middle refuses what is there, and shows the rest as it was", () =>
  withFile({}, async (folder, path, ledger) => {
    const restore = overwrite(path, 4096 * Math.floor(statSync(path).size / 8192), 3 * 4096);
    await withServer(folder, ON_FILE, async (server) => {
      const refused = await ledger.countRefusedReads(server);
      assert.ok(refused > 0 && refused < 90, `${refused} reads were refused`);
      assert.equal(await server.stop(), 0);
    });
    restore();
    await withServer(folder, ON_FILE, (server) => ledger.assertShown(server));
  }));

const LOST: [what: string, lose: (path: string) => void][] = [
  // The file does not say that there was a log: neither SQLite nor the server can know.
  ["was deleted", (path) => ["-wal", "-shm"].forEach((end) => rmSync(path + end))],
  // A damaged frame looks like one that a loss of power interrupted, so the log ends there.
  ["has rubbish in it", (path) => overwrite(`${path}-wal`, 32, statSync(`${path}-wal`).size - 32)],
];

for (const [what, lose] of LOST) {
  test(`a server whose log ${what} before its start shows all pets that are in the file`, () =>
    withFile({ stop: "SIGKILL" }, async (folder, path, ledger) => {
      lose(path);
      await assertShowsFirst(folder, 100, ledger);
    }));
}

test("a server that was killed in the middle of its log shows everything, though the file alone is half", () =>
  withFile({ stop: "SIGKILL" }, async (folder, path, ledger) => {
    rmSync(`${path}-shm`);
    await assertShowsFirst(folder, 200, ledger);
    ledger.assertInFile(path);
  }));

test.immutable("a server does not start on a file that no user may write", () =>
  withFile({ stop: "SIGKILL" }, async (folder, path, ledger) => {
    await whileImmutable([path], () => assertRefused(folder, /cannot be written to/));
    await withServer(folder, ON_FILE, (server) => ledger.assertShown(server));
  }));
