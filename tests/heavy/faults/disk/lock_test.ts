import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { FILE, KEY, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { type ServerProcess, withFreshServer } from "../../../support/server/server_process.ts";

test("another process's lock refuses creates but not reads, and creates succeed when it is gone", () =>
  withFreshServer(ON_FILE, async (server, folder) => {
    const ledger = new Ledger();
    for (let count = 0; count < 3; count++) await ledger.create(server);
    using other = new DatabaseSync(join(folder, FILE));
    other.exec("BEGIN EXCLUSIVE");
    const waiting = Promise.all(Array.from({ length: 8 }, () => ledger.assertRefused(server)));
    await assertReadsBefore(waiting, server);
    await waiting;
    assert.equal((await server.ask("/readyz", null)).status, 200);
    const [first, second] = await Promise.all([1, 2].map(() => server.ask("/readyz?writes", null)));
    assert.deepEqual([first?.status, second?.status], [503, 503]);
    other.exec("ROLLBACK");
    await ledger.create(server);
    await ledger.assertShown(server);
    assert.equal(await server.stop(), 0);
    // The two questions about writes share one attempt and one report.
    assert.equal(countFailures(server.written.stderr, "pets.db is locked by another process"), ledger.refused + 1);
    ledger.assertInFile(join(folder, FILE));
  }));

/** How many requests failed for a reason, according to standard error. A line may stand for several. */
function countFailures(stderr: string, reason: string): number {
  const lines = stderr.split("\n").filter((line) => line.includes(` failed: ${reason}`));
  return lines.reduce((sum, line) => sum + Number(/ \((\d+) times\)$/.exec(line)?.[1] ?? 1), 0);
}

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
