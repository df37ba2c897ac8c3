import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FILE, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { runCommand, withServer } from "../../../support/server/server_process.ts";
import { fill } from "../../../support/database.ts";
import { until } from "../../../support/until.ts";
import { test } from "../../../support/server/in_process.ts";

const CLIENTS = 8;

/** A backup is sound and has every pet acknowledged before it began. */
function assertBackup(path: string, ids: readonly number[]): void {
  using db = new DatabaseSync(path, { readOnly: true });
  assert.deepEqual({ ...db.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" });
  const kept = new Set(db.prepare("SELECT id FROM pets").all().map(({ id }) => id));
  assert.deepEqual(ids.filter((id) => !kept.has(id)), []);
}

test.withFolder("a backup of a large file ends while clients create without pause, and their creates go on while it copies", async (folder) => {
  const path = join(folder, FILE);
  const ledger = new Ledger();
  await withServer(folder, ON_FILE, (server) => server.stop());
  // 50 MB.
  fill(path, 200_000);
  assert.ok(Deno.statSync(path).size > 50_000_000);
  await withServer(folder, ON_FILE, async (server) => {
    let isDone = false;
    const clients = Array.from({ length: CLIENTS }, (_, i) => ledger.createOnAndOn([server], `pet-${i}`, () => isDone));
    await until("creates", () => ledger.pets.size >= 50);
    const before = [...ledger.pets.keys()];
    // Asynchronous: the clients run in this process.
    const done = await runCommand(folder, ["backup", "copy.db", `--store=sqlite:${FILE}`]);
    assert.equal(done.status, 0, done.stderr);
    assert.ok(ledger.pets.size > before.length, "no pet was added meanwhile");
    assert.equal(ledger.refused, 0);
    isDone = true;
    await Promise.all(clients);
    assertBackup(join(folder, "copy.db"), before);
  });
});
