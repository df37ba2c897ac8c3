/** Disks, file systems and limits that really fail. A machine that does not allow this skips the tests. Deno only. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { withTempFolder } from "../temp.ts";
import { command, skipUnless } from "./commands.ts";

export const MOUNT_SKIP = skipUnless(["mount", "umount"], "the right to mount a file system", () => {
  const folder = Deno.makeTempDirSync();
  try {
    command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder);
    command("umount", folder);
  } finally {
    Deno.removeSync(folder);
  }
});

/** A file system in memory; `remount` changes its size or makes it read-only. */
export function withTmpfs<T>(
  size: string,
  use: (folder: string, remount: (options: string) => void) => Promise<T>,
): Promise<T> {
  return withTempFolder(async (folder) => {
    command("mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder);
    try {
      return await use(folder, (options) => void command("mount", "-o", `remount,${options}`, folder));
    } finally {
      command("umount", folder);
    }
  });
}

export function fillUp(path: string): void {
  using file = Deno.openSync(path, { write: true, createNew: true });
  const block = new Uint8Array(4096);
  try {
    for (;;) file.writeSync(block);
  } catch (error) {
    assert.match(String(error), /No space left/);
  }
}

/** Overwrites a part of a file in place: the file and its length stay. */
export function overwrite(path: string, start: number, length: number): void {
  assert.ok(Deno.statSync(path).size >= start + length, `${path} is shorter than that`);
  using file = Deno.openSync(path, { write: true });
  file.seekSync(start, Deno.SeekMode.Start);
  for (let sent = 0; sent < length;) sent += file.writeSync(new Uint8Array(length - sent).fill(0xa5));
}

export const SLOW_SKIP = skipUnless(["gcc"]);

/**
 * The environment of a process on whose disk each fsync takes as many milliseconds longer as
 * `setDelay` has said last.
 */
export function slowDisk(folder: string): { env: Record<string, string>; setDelay: (milliseconds: number) => void } {
  const library = join(folder, "slow_disk.so");
  const setting = join(folder, "slow_disk");
  const source = new URL("../../../bench/slow_disk.c", import.meta.url).pathname;
  command("gcc", "-shared", "-fPIC", "-o", library, source, "-ldl");
  const setDelay = (milliseconds: number) => {
    Deno.writeTextFileSync(`${setting}.tmp`, String(milliseconds));
    Deno.renameSync(`${setting}.tmp`, setting);
  };
  return { env: { LD_PRELOAD: library, SLOW_DISK: setting }, setDelay };
}
