import assert from "node:assert/strict";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createSqliteStore } from "../../../../lib/stores/sqlite/create_sqlite_store.ts";
import { fill } from "../../../support/database.ts";
import { overwrite } from "../../../support/system/disk.ts";
import { FILE, KEY, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { type ServerProcess, withServer } from "../../../support/server/server_process.ts";
import { withTempFolder } from "../../../support/temp.ts";

/** More pets than SQLite's two megabytes of cached pages hold, so that most reads go to the file. */
const MANY = 20_000;

function withMany(use: (server: ServerProcess, path: string, ledger: Ledger) => Promise<void>): Promise<void> {
  return withTempFolder(async (folder) => {
    const path = join(folder, FILE);
    const ledger = new Ledger();
    for (const [id, text] of PETS) ledger.pets.set(id, text);
    await createSqliteStore(path).close();
    fill(path, MANY, `'${NAME}'`);
    await withServer(folder, ON_FILE, async (server) => {
      await ledger.create(server);
      await use(server, path, ledger);
    });
  });
}

const NAME = "x".repeat(250);
const PETS = Array.from({ length: MANY }, (_, i): [id: number, text: string] => [
  i + 1,
  JSON.stringify({ id: i + 1, name: NAME, categoryId: 7, status: "available" }),
]);

/** Some reads are refused, the others are right, creates are answered, and the server lives. */
async function assertSurvives(server: ServerProcess, ledger: Ledger): Promise<void> {
  const refused = await ledger.countRefusedReads(server);
  assert.ok(refused > 0, "nothing was refused, so nothing was damaged");
  const { status } = await server.ask("/v1/pets", KEY);
  assert.ok([200, 503].includes(status));
  for (let count = 0; count < 5; count++) await ledger.tryCreate(server);
  await ledger.countRefusedReads(server);
  assert.equal((await server.ask("/livez", null)).status, 200);
  assert.equal(await server.stop(), 0);
  assert.match(
    server.written.stderr,
    /failed: pets\.db (is corrupt; restore it from a backup|is not an SQLite database|cannot be read)/,
  );
}

const DAMAGES: [what: string, damage: (path: string) => void][] = [
  ["overwritten from its first byte on", (path) => overwrite(path, 0, 1000 * 4096)],
  ["cut in half", (path) => truncateSync(path, 700 * 4096)],
];

for (const [what, damage] of DAMAGES) {
  test(`a server whose file is ${what} refuses what it cannot read, shows nothing wrong, and lives`, () =>
    withMany(async (server, path, ledger) => {
      damage(path);
      await assertSurvives(server, ledger);
    }));
}
