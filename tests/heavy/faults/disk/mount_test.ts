/** A file that is mounted by itself: its log would be in another folder than the file, so every command refuses it. A backup has none. */

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../../../support/database.ts";
import { makeStore, STORE } from "../../../support/server/pet_files.ts";
import { runCommand } from "../../../support/server/server_process.ts";
import { command, testUnless } from "../../../support/system/commands.ts";
import { MOUNT_SKIP } from "../../../support/system/disk.ts";
import { withTempFolder } from "../../../support/temp.ts";

testUnless(MOUNT_SKIP)(
  "a file that is mounted by itself is refused by the server and by commands",
  () =>
    withTempFolder(async (folder) => {
      await makeStore(3, folder);
      const file = join(folder, "pets.db"), place = join(folder, "mounted");
      mkdirSync(place);
      writeFileSync(join(place, "pets.db"), "");
      const before = readFileSync(file);
      command("mount", "--bind", file, join(place, "pets.db"));
      try {
        for (const args of [["serve", "--port=0", "--key=k"], ["backup", "copy.db"]]) {
          const { status, stderr } = await runCommand(place, [...args, STORE]);
          assert.equal(status, 2, `${args}: ${stderr}`);
          assert.match(stderr, /pets\.db is mounted by itself, .*; mount its folder instead$/m);
        }
        assert.deepEqual(readdirSync(place), ["pets.db"]);
        assert.deepEqual(readFileSync(file), before);
        execute(file, "PRAGMA journal_mode = DELETE");
        assert.equal((await runCommand(place, ["check", STORE])).status, 0);
      } finally {
        command("umount", join(place, "pets.db"));
      }
    }),
);
