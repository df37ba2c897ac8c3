/** The file with the API key that the server generates if no key is set. */

import { checkKeys } from "../access/keys.ts";
import { folderOf, makeFolderFor, syncFolder } from "./folders.ts";
import { firstLine, SettingError, startError, UnreachableError } from "./start_error.ts";

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
 * Reads the key, or generates one if there is none.
 *
 * @throws {SettingError} If the file cannot be used, or other users could read or replace it.
 */
export function readKeyFile(path: string): FileKey {
  return readKey(path) ?? makeKey(path);
}

function readKey(path: string): FileKey | undefined {
  try {
    requireOwnFile(path, Deno.statSync(path));
    requireOwnFolder(path);
    if (Deno.lstatSync(path).isSymlink) requireOwnFolder(Deno.realPathSync(path));
    const key = Deno.readTextFileSync(path).trim();
    // A server that was killed between creating and writing the file leaves it empty.
    if (key === "") return undefined;
    checkKeys([key]);
    return { key, isNew: false };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error instanceof SettingError ? error : new SettingError(`${path} cannot be used: ${firstLine(error)}`);
  }
}

/** Call this before opening the file, because opening a named pipe would wait for a writer. */
function requireOwnFile(path: string, { isFile, size, mode, uid }: Deno.FileInfo): void {
  if (!isFile) throw new SettingError(`${path} must be a regular file`);
  if (size > MAX_BYTES) throw new SettingError(`${path} must hold one key, but it is larger than ${MAX_BYTES} bytes`);
  // Windows has neither modes nor owners.
  if (mode !== null && (mode & 0o077) !== 0) {
    throw new SettingError(
      `${path} can be read by users other than its owner: run chmod 600 ${path}, or set a new key`,
    );
  }
  const canAskForUser = Deno.permissions.querySync({ name: "sys", kind: "uid" }).state === "granted";
  if (canAskForUser && uid !== null && uid !== Deno.uid()) {
    throw new SettingError(`${path} must belong to the user that runs the server: change its owner, or set a new key`);
  }
}

/** A user who can write to the folder can replace the file, unless the folder is sticky as /tmp is. */
function requireOwnFolder(path: string): void {
  const folder = folderOf(path);
  const { mode } = Deno.statSync(folder);
  if (mode === null || (mode & 0o022) === 0 || (mode & 0o1000) !== 0) return;
  throw new SettingError(`${folder} holds the API key and others can write to it: run chmod go-w ${folder}`);
}

function makeKey(path: string): FileKey {
  try {
    makeFolderFor(path);
    using file = openOrCreate(path);
    // If several servers start at once, the first to get the lock generates the key.
    file.lockSync(true);
    const existing = readKey(path);
    if (existing) return existing;
    // 256 bits, in the alphabet of RFC 6750 bearer tokens.
    const key = "pk_" + crypto.getRandomValues(new Uint8Array(32)).toHex();
    const line = new TextEncoder().encode(key + "\n");
    if (file.writeSync(line) !== line.length) {
      // Part of a key would be a weak key.
      file.truncateSync();
      throw new UnreachableError(`${path} cannot be written: the disk is full`);
    }
    // The key must be on disk before it is shown, because a power failure must not destroy a key in use.
    file.syncSync();
    syncFolder(folderOf(path));
    return { key, isNew: true };
  } catch (error) {
    throw error instanceof SettingError ? error : startError(`${path} cannot be written: ${firstLine(error)}`, error);
  }
}

/** Opens the file, or creates it for its owner only. `createNew` does not follow a dangling link. */
function openOrCreate(path: string): Deno.FsFile {
  try {
    return Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    return Deno.openSync(path, { read: true, write: true });
  }
}
