/** The API key that the server makes for itself when it was given none. */

import { checkKeys } from "../access/keys.ts";
import { SettingError, UnreachableError } from "./settings.ts";
import { startError } from "./start_error.ts";

/** Where the key is kept, relative to the working directory. */
export const KEY_FILE = "data/api-key";

/** Keys are shorter; a larger file is not read. */
const MOST_BYTES = 4096;

/** A key, and whether it is new. */
export interface FileKey {
  key: string;
  isNew: boolean;
}

/**
 * Reads the key, making it first if there is none.
 *
 * @throws {SettingError} If the file cannot be used, or can be read by others than its owner.
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
    // A server was killed before it had written a key into it.
    if (key === "") return undefined;
    checkKeys([key]);
    return { key, isNew: false };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error instanceof SettingError ? error : new SettingError(`${path} cannot be used: ${reason(error)}`);
  }
}

/** Before it is opened: to open a pipe would wait for whoever writes into it. */
function requireOwnFile(path: string, { isFile, size, mode, uid }: Deno.FileInfo): void {
  if (!isFile) throw new SettingError(`${path} is no file`);
  if (size > MOST_BYTES) throw new SettingError(`${path} is larger than a key can be`);
  // Windows has neither modes nor owners.
  if (mode !== null && (mode & 0o077) !== 0) {
    throw new SettingError(`${path} can be read by others than its owner: run chmod 600 ${path}, or set a new key`);
  }
  const isKnown = Deno.permissions.querySync({ name: "sys", kind: "uid" }).state === "granted";
  if (isKnown && uid !== null && uid !== Deno.uid()) {
    throw new SettingError(
      `${path} belongs to another user: give it to the user that runs the server, or set a new key`,
    );
  }
}

/** Whoever can write to the folder can put another file in this one's place, unless the folder is sticky, as /tmp is. */
function requireOwnFolder(path: string): void {
  const folder = folderOf(path);
  const { mode } = Deno.statSync(folder);
  if (mode === null || (mode & 0o022) === 0 || (mode & 0o1000) !== 0) return;
  throw new SettingError(`${folder}, where the API key is, can be written to by others: run chmod go-w ${folder}`);
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash) || "/";
}

function makeKey(path: string): FileKey {
  try {
    makeFolder(path);
    using file = openOrCreate(path);
    // Another server that was started at the same moment writes its key under this lock.
    file.lockSync(true);
    const other = readKey(path);
    if (other) return other;
    // 256 bits, in the alphabet of RFC 6750 bearer tokens.
    const key = "pk_" + crypto.getRandomValues(new Uint8Array(32)).toHex();
    const line = new TextEncoder().encode(key + "\n");
    if (file.writeSync(line) !== line.length) {
      // A part of a key is a weak key.
      file.truncateSync();
      throw new UnreachableError(`${path} cannot be written: there is no room for it`);
    }
    // On the disk before anybody is shown it: a loss of power must not take back a key that is in use.
    file.syncSync();
    syncFolder(folderOf(path));
    return { key, isNew: true };
  } catch (error) {
    throw error instanceof SettingError ? error : startError(`${path} cannot be written: ${reason(error)}`, error);
  }
}

/** A file that was not there is made, and none behind a link that leads to nothing. */
function openOrCreate(path: string): Deno.FsFile {
  try {
    return Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    return Deno.openSync(path, { read: true, write: true });
  }
}

/** Brings the names of new files to the disk. Windows cannot open a folder, and does so by itself. */
function syncFolder(path: string): void {
  if (Deno.build.os === "windows") return;
  using folder = Deno.openSync(path);
  folder.syncSync();
}

/** Makes the folder that a file is to be in, readable by its owner only. */
export function makeFolder(path: string): void {
  const folder = folderOf(path);
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const outer = folderOf(folder);
  // Its own name must be on the disk too. Who may write in it alone has not made it.
  if (Deno.permissions.querySync({ name: "read", path: outer }).state === "granted") syncFolder(outer);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message.split("\n", 1)[0] ?? "" : String(error);
}
