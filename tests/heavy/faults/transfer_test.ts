/** Imports that are stopped, that have no room, and that share the file with a server. */

import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KEY, Ledger, ON_FILE } from "../../support/server/ledger.ts";
import { test } from "../../support/server/in_process.ts";
import { runCommand, ServerProcess, withServer } from "../../support/server/server_process.ts";
import { testUnless } from "../../support/system/commands.ts";
import { MOUNT_SKIP, withTmpfs } from "../../support/system/disk.ts";
import { until } from "../../support/until.ts";
import { withTempFolder } from "../../support/temp.ts";
import {
  assertPrinted,
  assertRefused,
  FILE,
  makeDrafts,
  makeStore,
  readDrafts,
  STORE,
  succeed,
  toNdjson,
} from "../../support/server/pet_files.ts";

test.inFolder("an import that is told to end in its transaction leaves nothing, and says so", async (folder) => {
  await makeStore(3, folder);
  writeFileSync(join(folder, "a.ndjson"), toNdjson(makeDrafts(400_000)));
  await using child = new ServerProcess(folder, { args: ["import", "a.ndjson", STORE] });
  const log = join(folder, `${FILE}-wal`);
  await until("a part of the pets in the log", () => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 2 ** 20);
  assert.equal(await child.stop("SIGTERM"), 1);
  const stderr = "petstore: The import was stopped, and nothing was added\n";
  assert.deepEqual(child.written, { stdout: "", stderr });
  assert.equal(readDrafts(folder).length, 3);
});

test.inFolder("beside an import, a server creates without a refusal, and shows all pets in the order of their ids", async (folder) => {
  const drafts = makeDrafts(60_000);
  writeFileSync(join(folder, "a.ndjson"), toNdjson(drafts));
  const ledger = new Ledger();
  await withServer(folder, ON_FILE, async (server) => {
    await ledger.create(server);
    let isDone = false;
    const clients = [1, 2, 3].map((client) => ledger.createOnAndOn([server], `client.${client}`, () => isDone));
    const imported = await runCommand(folder, ["import", "a.ndjson", STORE]);
    isDone = true;
    await Promise.all(clients);
    assertPrinted(imported, "a.ndjson: 60000 pets added");
    assert.equal(ledger.refused, 0);
    const rows = readDrafts(folder);
    assert.deepEqual(rows.filter(({ name }) => name.startsWith("Rex ")), drafts);
    assert.equal(rows.length, 60_000 + ledger.pets.size);
    // The server notices what was added beside it.
    writeFileSync("b.ndjson", toNdjson([{ name: "Last", categoryId: 7n, status: "sold" }]));
    assert.equal(await succeed("import b.ndjson"), "b.ndjson: 1 pet added\n");
    const id = 60_000 + ledger.pets.size + 1;
    assert.equal(JSON.parse((await server.ask(`/v1/pets/${id}`, KEY)).text).name, "Last");
  });
});

testUnless(MOUNT_SKIP)(
  "an import on a full disk has status 1 and leaves nothing, and repeated with room it adds all",
  () =>
    withTmpfs("3m", async (folder, remount) => {
      const drafts = makeDrafts(100_000);
      await withTempFolder(async (elsewhere) => {
        const file = join(elsewhere, "a.ndjson");
        writeFileSync(file, toNdjson(drafts));
        await makeStore(0, folder);
        const full = await runCommand(folder, ["import", file, STORE]);
        assertRefused(full, /full/, 1);
        assert.deepEqual(readDrafts(folder), []);
        remount("size=64m");
        assertPrinted(await runCommand(folder, ["import", file, STORE]), `${file}: 100000 pets added`);
        assert.deepEqual(readDrafts(folder), drafts);
      });
    }),
);
