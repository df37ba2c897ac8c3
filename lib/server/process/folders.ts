/** The folders in which the program makes files. */

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { mayAccess } from "../../stores/sqlite/permissions.ts";

/**
 * Makes the folder for a file, accessible only to its owner, unless the folder exists. The folder gets a `.gitignore`, because it will have
 * an API key, which `git add .` would otherwise commit. A folder that has any other file is left as its owner wants it.
 */
export function makeFolderFor(path: string): void {
  const folder = dirname(path);
  const ignoreFile = join(folder, ".gitignore");
  // No error is thrown if another start makes the folder meanwhile.
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700, recursive: true });
  // A start that was killed or met a full disk may have left the folder without the file, or the file without its text.
  const isUsed = readdirSync(folder).some((name) => name !== ".gitignore");
  if (isUsed || statSync(ignoreFile, { throwIfNoEntry: false })?.size) return;
  writeFileSync(ignoreFile, "*\n", { mode: 0o600, flush: true });
  // The name of the folder must reach the disk too. Without permission to read the parent, the folder was not made here, but existed.
  const parent = dirname(folder);
  if (mayAccess("read", parent)) syncFolder(parent);
}

/** Syncs the names of new files to disk. Windows does this by itself, and cannot open a folder. */
export function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
