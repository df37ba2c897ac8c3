/** Imports that are killed, that have no room, and that share the file with a server. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { KEY, Ledger, ON_FILE } from "../support/server/ledger.ts";
import { inFolder, test } from "../support/server/in_process.ts";
import { runCommand, ServerProcess, withServer } from "../support/server/server_process.ts";
import { command, skipUnless, testUnless } from "../support/system/commands.ts";
import { MOUNT_SKIP, withTmpfs } from "../support/system/disk.ts";
import { withTempFolder } from "../support/temp.ts";
import {
  assertPrinted,
  assertRefused,
  countPets,
  importFile,
  makeDrafts,
  makeStore,
  readDrafts,
  STORE,
  toNdjson,
  untilMore,
} from "../support/server/pet_files.ts";

testUnless(skipUnless(["mkfifo"], "named pipes", () => {}))(
  "an import that is killed in its middle and repeated adds each pet once, and loses none",
  () =>
    inFolder(async (folder) => {
      const text = toNdjson(makeDrafts(50_000));
      command("mkfifo", join(folder, "pipe.ndjson"));
      for (const round of [1, 2]) {
        await using child = new ServerProcess(folder, { args: ["import", "pipe.ndjson", STORE] });
        using pipe = await Deno.open(join(folder, "pipe.ndjson"), { write: true });
        const known = round === 1 ? 0 : countPets(folder);
        // The pipe stays open, so the import cannot come to its end.
        const part = new TextEncoder().encode(text).subarray(0, round === 1 ? 1_500_000 : 2_000_000);
        const written = writeAll(pipe, part);
        await untilMore(folder, known);
        await child.stop("SIGKILL");
        await written;
        assert.ok(countPets(folder) < 50_000);
      }
      const added = countPets(folder);
      assert.deepEqual(readDrafts(folder), makeDrafts(added));
      const repeated = await importFile(folder, "a.ndjson", text);
      assertPrinted(repeated, `a.ndjson: ${50_000 - added} pets added, ${added} pets known from an earlier import`);
      assert.deepEqual(readDrafts(folder), makeDrafts(50_000));
      assert.match((await runCommand(folder, ["check", STORE])).stdout, /is sound: 50000 pets/);
    }),
);

/** Stops when the reader has been killed. */
async function writeAll(pipe: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  try {
    for (let sent = 0; sent < bytes.length;) sent += await pipe.write(bytes.subarray(sent));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

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
    const last = await importFile(folder, "b.ndjson", toNdjson([{ name: "Last", categoryId: 7n, status: "sold" }]));
    assertPrinted(last, "b.ndjson: 1 pet added");
    const id = 60_000 + ledger.pets.size + 1;
    assert.equal(JSON.parse((await server.ask(`/v1/pets/${id}`, KEY)).text).name, "Last");
  });
});

testUnless(MOUNT_SKIP)(
  "an import on a full disk has status 1, and repeated with room it adds the rest",
  () =>
    withTmpfs("3m", async (folder, remount) => {
      const drafts = makeDrafts(100_000);
      await withTempFolder(async (elsewhere) => {
        const file = join(elsewhere, "a.ndjson");
        writeFileSync(file, toNdjson(drafts));
        await makeStore(0, folder);
        const full = await runCommand(folder, ["import", file, STORE]);
        assertRefused(full, /full.*\. \d+ pets added; import the file again for the rest\n$/, 1);
        remount("size=64m");
        const added = countPets(folder);
        assert.deepEqual(readDrafts(folder), drafts.slice(0, added));
        const rest = await runCommand(folder, ["import", file, STORE]);
        const known = added === 0 ? "" : `, ${added} pets known from an earlier import`;
        assertPrinted(rest, `${file}: ${100_000 - added} pets added${known}`);
        assert.deepEqual(readDrafts(folder), drafts);
      });
    }),
);
