import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fill } from "../../../support/database.ts";
import { overwrite } from "../../../support/system/disk.ts";
import { FILE, KEY, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { withFreshServer } from "../../../support/server/server_process.ts";

/** More pets than SQLite's two megabytes of cached pages hold, so that most reads go to the file. */
const MANY = 20_000;

const NAME = "x".repeat(250);

test("a server whose file is overwritten refuses what it cannot read, shows nothing wrong, and lives", () =>
  withFreshServer(ON_FILE, async (server, folder) => {
    const path = join(folder, FILE), ledger = new Ledger();
    fill(path, MANY, `'${NAME}'`);
    for (let id = 1; id <= MANY; id++) {
      ledger.pets.set(id, JSON.stringify({ id, name: NAME, categoryId: 7, status: "available" }));
    }
    overwrite(path, 0, 1000 * 4096);
    assert.ok(await ledger.countRefusedReads(server) > 0, "nothing was refused, so nothing was damaged");
    const { status } = await server.ask("/v1/pets", KEY);
    assert.ok([200, 503].includes(status));
    for (let count = 0; count < 5; count++) await ledger.tryCreate(server);
    await ledger.countRefusedReads(server);
    assert.equal((await server.ask("/livez", null)).status, 200);
    assert.equal(await server.stop(), 0);
    assert.match(server.written.stderr, /failed: pets\.db (is corrupt|is not an SQLite database|cannot be read)/);
  }));
