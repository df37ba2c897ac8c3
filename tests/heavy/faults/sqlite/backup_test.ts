import assert from "node:assert/strict";
import { join } from "node:path";
import { FILE, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { runCommand, withServer } from "../../../support/server/server_process.ts";
import { fill, query } from "../../../support/database.ts";
import { until } from "../../../support/until.ts";
import { test } from "../../../support/server/in_process.ts";

const CLIENTS = 8;

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
    const done = await runCommand(folder, ["backup", "copy.db", `--store=sqlite:${FILE}`]);
    assert.equal(done.status, 0, done.stderr);
    assert.ok(ledger.pets.size > before.length, "no pet was added meanwhile");
    assert.equal(ledger.refused, 0);
    isDone = true;
    await Promise.all(clients);
    const copied = new Set(query(join(folder, "copy.db"), "SELECT id FROM pets").map(({ id }) => id));
    assert.deepEqual(before.filter((id) => !copied.has(id)), []);
  });
});
