import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { FILE, KEY, Ledger, ON_FILE } from "../../support/server/ledger.ts";
import { runServer, type ServerProcess, withServer } from "../../support/server/server_process.ts";
import { withTempFolder } from "../../support/temp.ts";

/** Runs `use` with a server and a second connection to its file. */
function withOther(use: (server: ServerProcess, other: DatabaseSync, ledger: Ledger) => Promise<void>): Promise<void> {
  return withTempFolder(async (folder) => {
    const ledger = new Ledger();
    await withServer(folder, ON_FILE, async (server) => {
      for (let count = 0; count < 3; count++) await ledger.create(server);
      const other = new DatabaseSync(join(folder, FILE));
      try {
        await use(server, other, ledger);
      } finally {
        other.close();
      }
      await ledger.assertShown(server);
      assert.equal(await server.stop(), 0);
      assert.equal(server.written.stderr.match(/ failed: database is locked\n/g)?.length ?? 0, ledger.refused);
    });
    ledger.assertInFile(join(folder, FILE));
  });
}

test("another process's lock refuses creates but not reads, and creates succeed when it is gone", () =>
  withOther(async (server, other, ledger) => {
    other.exec("BEGIN EXCLUSIVE");
    const waiting = Promise.all(Array.from({ length: 8 }, () => ledger.assertRefused(server)));
    await assertReadsBefore(waiting, server);
    await waiting;
    assert.equal((await server.ask("/readyz", null)).status, 200);
    const [first, second] = await Promise.all([1, 2].map(() => server.ask("/readyz?writes", null)));
    assert.deepEqual([first?.status, second?.status], [503, 503]);
    ledger.seen.set(503, ledger.refused + 2);
    other.exec("ROLLBACK");
    await ledger.create(server);
  }));

test("a create that waits for another process's lock succeeds if the lock goes in time", () =>
  withOther(async (server, other, ledger) => {
    for (let round = 0; round < 5; round++) {
      other.exec("BEGIN IMMEDIATE");
      const waiting = Promise.all(Array.from({ length: 8 }, () => ledger.create(server)));
      await assertReadsBefore(waiting, server);
      other.exec("ROLLBACK");
      await waiting;
    }
    assert.equal(ledger.refused, 0);
  }));

test("a server stops while another process has the lock, and no acknowledged pet is lost", () =>
  withTempFolder(async (folder) => {
    const ledger = new Ledger();
    const other = await withServer(folder, ON_FILE, async (server) => {
      await ledger.create(server);
      const other = new DatabaseSync(join(folder, FILE));
      other.exec("BEGIN IMMEDIATE");
      const waiting = ledger.tryCreate(server);
      await server.ask("/livez", null);
      assert.equal(await server.stop(), 0);
      await waiting;
      return other;
    });
    other.exec("ROLLBACK");
    other.close();
    ledger.assertInFile(join(folder, FILE));
  }));

test("a server does not start on a file that another process keeps for itself, and starts when it is gone", () =>
  withTempFolder(async (folder) => {
    const ledger = new Ledger();
    await withServer(folder, ON_FILE, (server) => ledger.create(server));
    const other = new DatabaseSync(join(folder, FILE));
    other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    const { status, stdout, stderr } = await runServer(folder, ON_FILE);
    assert.deepEqual([status, stdout, stderr], [1, "", "petstore: pets.db is locked by another process\n"]);
    other.close();
    await withServer(folder, ON_FILE, (server) => ledger.assertShown(server));
  }));

/** Twenty reads in a row are answered while creates wait. */
async function assertReadsBefore(waiting: Promise<unknown>, { ask }: ServerProcess): Promise<void> {
  let isWaiting = true;
  waiting.finally(() => isWaiting = false).catch(() => {});
  for (let read = 0; read < 20; read++) {
    // A new URL each time, so that no kept response is used.
    const { status, text } = await ask(`/v1/pets?limit=3&read=${read}`, KEY);
    assert.equal(status, 200, text);
    assert.equal(JSON.parse(text).length, 3);
    assert.ok(isWaiting, `the creates were answered before read ${read}, so it may have waited for them`);
  }
}
