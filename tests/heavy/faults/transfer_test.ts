/** Imports that are stopped, or have no room. A loss of power: tests/heavy/power. */

import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "../../support/server/in_process.ts";
import { runCommand, ServerProcess } from "../../support/server/server_process.ts";
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
  readPets,
  STORE,
  toNdjson,
} from "../../support/server/pet_files.ts";

test.inFolder("an import that is told to end in its transaction leaves nothing, and says so", async (folder) => {
  await makeStore(3, folder);
  writeFileSync(join(folder, "a.ndjson"), toNdjson(makeDrafts(400_000)));
  await using child = new ServerProcess(folder, { args: ["import", "a.ndjson", STORE] });
  const log = join(folder, `${FILE}-wal`);
  await until("a part of the pets in the log", () => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 2 ** 20);
  assert.equal(await child.stop("SIGTERM"), 143);
  const stderr = "petstore: Ended by SIGTERM, and nothing was changed\n";
  assert.deepEqual(child.written, { stdout: "", stderr });
  assert.equal(await readPets(folder), toNdjson(makeDrafts(3)));
});

testUnless(MOUNT_SKIP)(
  "an import on a full disk has status 1 and leaves nothing, and repeated with room it adds all",
  () =>
    withTempFolder((elsewhere) =>
      withTmpfs("3m", async (folder, remount) => {
        const drafts = makeDrafts(100_000), file = join(elsewhere, "a.ndjson");
        writeFileSync(file, toNdjson(drafts));
        await makeStore(0, folder);
        assertRefused(await runCommand(folder, ["import", file, STORE]), /full/, 1);
        assert.equal(await readPets(folder), "");
        remount("size=64m");
        assertPrinted(await runCommand(folder, ["import", file, STORE]), `${file}: 100000 pets added`);
        assert.equal(await readPets(folder), toNdjson(drafts));
      })
    ),
);
