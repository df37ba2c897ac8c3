/**
 * A file that is mounted by itself: its log would be in another folder than the file, so every command refuses it. A file in an overlay's
 * lower layer is none, though it may have another device than its folder.
 */

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeStore, STORE } from "../../../support/server/pet_files.ts";
import { addPet, runCommand, withServer } from "../../../support/server/server_process.ts";
import { command, testUnless } from "../../../support/system/commands.ts";
import { MOUNT_SKIP, OVERLAY_SKIP, withTmpfs } from "../../../support/system/disk.ts";
import { withTempFolder } from "../../../support/temp.ts";

const COMMANDS: string[][] = [
  ["serve", "--port=0", "--key=k"],
  ["check"],
  ["export"],
  ["backup", "copy.db"],
  ["import", "pets.ndjson"],
  ["keys", "list"],
  ["restore", "backup.db"],
];

/** Mounts `file` over an empty file in a new folder, where each command must refuse it and leave it as it is. */
async function assertRefused(file: string, folder: string): Promise<void> {
  writeFileSync(join(folder, "pets.db"), "");
  copyFileSync(file, join(folder, "backup.db"));
  writeFileSync(join(folder, "pets.ndjson"), '{"name":"Rex","categoryId":7}\n');
  const before = readFileSync(file);
  command("mount", "--bind", file, join(folder, "pets.db"));
  try {
    const names = readdirSync(folder);
    for (const args of COMMANDS) {
      const { status, stderr } = await runCommand(folder, [...args, STORE]);
      assert.equal(status, 2, `${args}: ${stderr}`);
      assert.match(stderr, /pets\.db is mounted by itself, .*; mount its folder instead$/m, String(args));
    }
    assert.deepEqual(readdirSync(folder).filter((name) => name !== "data"), names);
    assert.deepEqual(readFileSync(file), before);
  } finally {
    command("umount", join(folder, "pets.db"));
  }
}

testUnless(MOUNT_SKIP)(
  "a file that is mounted by itself is refused by every command, also on one file system",
  () =>
    withTempFolder(async (folder) => {
      await makeStore(3, folder);
      const file = join(folder, "pets.db");
      mkdirSync(join(folder, "mounted"));
      await assertRefused(file, join(folder, "mounted"));
      await withTmpfs("4m", (other) => assertRefused(file, other));
      // The same folder, mounted as a whole, is right.
      mkdirSync(join(folder, "whole"));
      mkdirSync(join(folder, "inner"));
      copyFileSync(file, join(folder, "inner", "pets.db"));
      command("mount", "--bind", join(folder, "inner"), join(folder, "whole"));
      try {
        const { status, stdout } = await runCommand(join(folder, "whole"), ["check", STORE]);
        assert.deepEqual([status, stdout], [0, "sqlite:pets.db is sound: 3 pets\n"]);
      } finally {
        command("umount", join(folder, "whole"));
      }
    }),
);

testUnless(OVERLAY_SKIP)(
  "a file in the lower layer of an overlay on another file system is used and served",
  () =>
    withTempFolder((folder) =>
      withTmpfs("8m", async (upper) => {
        for (const name of ["lower", "merged"]) mkdirSync(join(folder, name));
        for (const name of ["files", "work"]) mkdirSync(join(upper, name));
        await makeStore(3, join(folder, "lower"));
        const merged = join(folder, "merged");
        // Without xino, the file keeps the device of its layer.
        const layers = `lowerdir=${folder}/lower,upperdir=${upper}/files,workdir=${upper}/work,xino=off`;
        command("mount", "-t", "overlay", "overlay", "-o", layers, merged);
        try {
          assert.notEqual(statSync(join(merged, "pets.db")).dev, statSync(merged).dev);
          for (const args of [["check"], ["backup", "copy.db"], ["keys", "list"], ["restore", "copy.db"]]) {
            const { status, stderr } = await runCommand(merged, [...args, STORE]);
            assert.equal(status, 0, `${args}: ${stderr}`);
          }
          await withServer(merged, { args: ["--key=k", STORE] }, (server) => addPet(server, "k"));
        } finally {
          command("umount", merged);
        }
      })
    ),
);
