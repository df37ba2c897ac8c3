import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { followLinks } from "../../stores/sqlite/file.ts";
import { describeMissing, requireRestored } from "../../stores/sqlite/remains.ts";
import type { KeyedPetStore } from "../../stores/store.ts";
import { makeFolderFor } from "../process/folders.ts";
import { KEY_FILE } from "../keys/key_file.ts";
import { nearest } from "../process/nearest.ts";
import { isPermitted } from "../process/process.ts";
import { SettingError } from "../process/start_error.ts";

/** A store of this program. `isNew` says whether opening it has made its tables. */
export type OpenStore = KeyedPetStore & { readonly isNew?: boolean };

/** @throws {SettingError} If the folder of a database is missing, or a restore has left files there. */
export function prepareFile(path: string): void {
  if (!isMissing(path)) return;
  prepareFolder(path);
  const file = followLinks(path);
  requireRestored(path, file);
  const missing = describeMissing(path, file);
  if (!missing.endsWith("does not exist")) throw new SettingError(missing);
}

/** @throws {SettingError} If the folder of a file is missing and not the one that the server makes by itself. */
export function prepareFolder(path: string): void {
  const folder = dirname(path);
  if (!isMissing(folder)) return;
  if (isBesideKeyFile(path)) return makeFolderFor(path);
  let first = folder;
  while (isMissing(dirname(first))) first = dirname(first);
  const similar = nearest(basename(first), foldersIn(dirname(first)));
  const hint = similar === undefined ? "" : `; did you mean ${join(dirname(first), similar)}/?`;
  throw new SettingError(`${path} cannot be made, because there is no folder ${folder}${hint}`);
}

export function isBesideKeyFile(path: string): boolean {
  return resolve(dirname(path)) === resolve(dirname(KEY_FILE));
}

function foldersIn(path: string): string[] {
  if (!isPermitted({ name: "read", path })) return [];
  return readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** An unreadable path counts as existing, because opening it gives a better message. */
export function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
