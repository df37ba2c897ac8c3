/** A backup while clients create, and the log after a long read. */

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { LOG_LIMIT_BYTES } from "../../../../lib/stores/sqlite/open.ts";
import { fill, query } from "../../../support/database.ts";
import { test } from "../../../support/server/in_process.ts";
import { FILE, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { STORE } from "../../../support/server/pet_files.ts";
import { runCommand, withServer } from "../../../support/server/server_process.ts";
import { until } from "../../../support/until.ts";

const CLIENTS = 8;

test.withFolder("a backup of a large file ends while clients create without pause, and their creates go on while it copies", async (folder) => {
  const path = join(folder, FILE);
  const ledger = new Ledger();
  await withServer(folder, ON_FILE, (server) => server.stop());
  // 50 MB.
  fill(path, 200_000);
  assert.ok(statSync(path).size > 50_000_000);
  await withServer(folder, ON_FILE, async (server) => {
    let isDone = false;
    const clients = Array.from({ length: CLIENTS }, (_, i) => ledger.createOnAndOn([server], `pet-${i}`, () => isDone));
    await until("creates", () => ledger.pets.size >= 50);
    const before = [...ledger.pets.keys()];
    const done = await runCommand(folder, ["backup", "copy.db", STORE]);
    assert.equal(done.status, 0, done.stderr);
    assert.ok(ledger.pets.size > before.length, "no pet was added meanwhile");
    assert.equal(ledger.refused, 0);
    isDone = true;
    await Promise.all(clients);
    const copied = new Set(query(join(folder, "copy.db"), "SELECT id FROM pets").map(({ id }) => id));
    assert.deepEqual(before.filter((id) => !copied.has(id)), []);
  });
});

test.withFolder("the log that has grown during a long read shrinks when the server writes on", (folder) =>
  withServer(folder, ON_FILE, async (server) => {
    const path = join(folder, FILE);
    const ledger = new Ledger();
    await ledger.create(server);
    using reader = new DatabaseSync(path, { readOnly: true });
    reader.exec("BEGIN; SELECT count(*) FROM pets");
    // 100 MB.
    fill(path, 100, "hex(zeroblob(500000))");
    const size = () => statSync(`${path}-wal`).size;
    assert.ok(size() > LOG_LIMIT_BYTES, `${size()} bytes are no long log`);
    reader.exec("COMMIT");
    await until("the log is short", async () => {
      await ledger.create(server);
      return size() <= LOG_LIMIT_BYTES;
    });
  }));
