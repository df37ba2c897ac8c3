/** The file with the API key that the server generates if no key is set. */

import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import process from "node:process";
import { makeKey } from "../access/key_format.ts";
import { checkKeys } from "../access/keys.ts";
import { codeOf, createTemporary, folderOf, makeFolderFor, syncFolder, unlinkIfExists } from "./folders.ts";
import { isPermitted } from "./process.ts";
import { firstLine, SettingError, startError } from "./start_error.ts";

/** The path of the key file, relative to the working directory. */
export const KEY_FILE = "data/api-key";

/** The largest file that is read. A generated key has less than 100 bytes. */
const MAX_BYTES = 4096;

export interface FileKey {
  key: string;
  /** Whether this start generated it. */
  isNew: boolean;
}

/**
 * Reads the key, or generates one if the file has none.
 *
 * @throws {SettingError} If the file cannot be used, or other users could read or replace it.
 */
export function readKeyFile(path: string): FileKey {
  return readKey(path) ?? makeKeyFile(path);
}

/** Like {@link readKeyFile}, but makes no key. */
export function readKey(path: string): FileKey | undefined {
  try {
    requireOwnFile(path, statSync(path));
    requireOwnFolder(path);
    if (lstatSync(path).isSymbolicLink()) requireOwnFolder(realpathSync(path));
    const key = readFileSync(path, "utf8").trim();
    // A server of an earlier release that was killed while it made the key leaves an empty file.
    if (key === "") return undefined;
    checkKeys([key]);
    return { key, isNew: false };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error instanceof SettingError ? error : new SettingError(`${path} cannot be used: ${firstLine(error)}`);
  }
}

/** Call this before opening the file, because opening a named pipe would wait for a writer. */
function requireOwnFile(path: string, file: Stats): void {
  if (!file.isFile()) throw new SettingError(`${path} must be a regular file`);
  if (file.size > MAX_BYTES) {
    throw new SettingError(`${path} must hold one key, but it is larger than ${MAX_BYTES} bytes`);
  }
  // Windows has neither modes nor owners.
  if (process.platform === "win32") return;
  if ((file.mode & 0o077) !== 0) {
    throw new SettingError(
      `${path} can be read by users other than its owner: run chmod 600 ${path}, or set a new key`,
    );
  }
  if (isPermitted({ name: "sys", kind: "uid" }) && file.uid !== process.getuid?.()) {
    throw new SettingError(`${path} must belong to the user that runs the server: change its owner, or set a new key`);
  }
}

/** A user who can write to the folder can replace the file, unless the folder is sticky as /tmp is. */
function requireOwnFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = folderOf(path);
  const { mode } = statSync(folder);
  if ((mode & 0o022) === 0 || (mode & 0o1000) !== 0) return;
  throw new SettingError(`${folder} holds the API key and others can write to it: run chmod go-w ${folder}`);
}

function makeKeyFile(path: string): FileKey {
  const key = makeKey();
  try {
    makeFolderFor(path);
    // Only whole keys get the name of the file: part of a key would be a weak key.
    const file = realPathOf(path) ?? path;
    const temporary = createTemporary(file);
    try {
      writeFileSync(temporary.descriptor, key + "\n");
      // The key must be on disk before it is shown, because a power failure must not destroy a key in use.
      fsyncSync(temporary.descriptor);
      for (;;) {
        publishKey(temporary.name, path);
        const agreed = readKey(path);
        if (!agreed) continue;
        syncFolder(folderOf(file));
        return { key: agreed.key, isNew: agreed.key === key };
      }
    } finally {
      closeSync(temporary.descriptor);
      unlinkSync(temporary.name);
    }
  } catch (error) {
    throw error instanceof SettingError ? error : startError(`${path} cannot be written: ${firstLine(error)}`, error);
  }
}

/** Publishes a key unless the file has one. Servers that start at once agree on one key, and any of them may publish it. */
function publishKey(temporary: string, path: string): void {
  if (linkUnlessExists(temporary, path)) return;
  const file = realPathOf(path);
  if (file === undefined) throw new SettingError(`${path} is a symbolic link to a file that is missing`);
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  try {
    const { ino } = fstatSync(descriptor, { bigint: true });
    if (readFileSync(descriptor, "utf8").trim() === "") replaceBlank(temporary, file, ino);
  } finally {
    closeSync(descriptor);
  }
}

/** `undefined` if there is no file. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Replaces a file without a key. Servers agree on the key by a name that contains the inode of that file: only one can link its
 * key to this name, and all put that one in place. The name is removed only after the blank file has gone. A server that finds the
 * name free after that also finds another file.
 */
function replaceBlank(temporary: string, file: string, blank: bigint): void {
  const agreed = `${file}.${blank}.tmp`;
  const ownLink = `${temporary}.agreed.tmp`;
  unlinkIfExists(ownLink);
  linkUnlessExists(temporary, agreed);
  try {
    linkSync(agreed, ownLink);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  if (statSync(file, { bigint: true }).ino === blank) renameSync(ownLink, file);
  // A rename of a file to its own second name does nothing, and keeps both.
  for (const name of [ownLink, agreed]) unlinkIfExists(name);
}

/** @returns Whether the new name was free. */
function linkUnlessExists(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}
