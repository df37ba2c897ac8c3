import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fill } from "../../../support/database.ts";
import { overwrite } from "../../../support/system/disk.ts";
import { FILE, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { makeStore } from "../../../support/server/pet_files.ts";
import { withServer } from "../../../support/server/server_process.ts";
import { withTempFolder } from "../../../support/temp.ts";

/** More pets than SQLite's two megabytes of cached pages hold, so that most reads go to the file. */
const MANY = 20_000;

const NAME = "x".repeat(250);

test("a server whose file is overwritten refuses what it cannot read, shows nothing wrong, and lives", () =>
  withTempFolder(async (folder) => {
    const path = join(folder, FILE), ledger = new Ledger();
    await makeStore(0, folder);
    fill(path, MANY, `'${NAME}'`);
    for (let id = 1; id <= MANY; id++) {
      ledger.pets.set(id, JSON.stringify({ id, name: NAME, categoryId: 7, status: "available" }));
    }
    await withServer(folder, ON_FILE, async (server) => {
      await ledger.create(server);
      overwrite(path, 0, 1000 * 4096);
      assert.ok(await ledger.countRefusedReads(server) > 0, "nothing was refused, so nothing was damaged");
      for (let count = 0; count < 5; count++) await ledger.tryCreate(server);
      await ledger.countRefusedReads(server);
      assert.equal((await server.ask("/livez", null)).status, 200);
      assert.equal(await server.stop(), 0);
      assert.match(server.written.stderr, /failed: pets\.db (is corrupt|is not an SQLite database|cannot be read)/);
    });
  }));
