/** The folders in which the program makes files. */

import { closeSync, fsyncSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { mayAccess } from "../../stores/sqlite/permissions.ts";
import { codeOf } from "./start_error.ts";

/**
 * Creates the folder for a file, accessible only to its owner, unless the folder exists. Its parent must exist. A new folder gets a
 * `.gitignore`, because it will have an API key, which `git add .` would otherwise commit.
 */
export function makeFolderFor(path: string): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
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
