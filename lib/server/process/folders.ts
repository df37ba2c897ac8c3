/** The folders in which the program makes files. */

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { mayAccess } from "../../stores/sqlite/permissions.ts";

/**
 * Makes the folder for a file, accessible only to its owner, unless the folder exists. The folder
 * gets a `.gitignore`, because it will have an API key, which `git add .` would otherwise commit.
 */
export function makeFolderFor(path: string): void {
  const folder = dirname(path);
  if (existsSync(folder)) return;
  // No error is thrown if another start makes the folder meanwhile.
  mkdirSync(folder, { mode: 0o700, recursive: true });
  writeFileSync(join(folder, ".gitignore"), "*\n", { mode: 0o600, flush: true });
  // The name of the folder must reach the disk too. On Deno, the server may not be permitted to read the parent.
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
