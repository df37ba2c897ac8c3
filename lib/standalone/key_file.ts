/** The API key that the server makes for itself when it was given none. */

import { createKeyCheck } from "../http/auth.ts";
import { SettingError } from "./settings.ts";
import { startError } from "./start_error.ts";

/** Where the key is kept, relative to the working directory. */
export const KEY_FILE = "data/api-key";

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
export async function readKeyFile(path: string): Promise<FileKey> {
  return await readKey(path) ?? await makeKey(path);
}

async function readKey(path: string): Promise<FileKey | undefined> {
  try {
    requireOwnFile(path, await Deno.stat(path));
    await requireOwnFolder(path);
    const key = (await Deno.readTextFile(path)).trim();
    if (key === "") throw new SettingError(`${path} is empty: delete it and a new key is made`);
    createKeyCheck([key]);
    return { key, isNew: false };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error instanceof SettingError ? error : new SettingError(`${path} cannot be used: ${reason(error)}`);
  }
}

/** Before it is opened: to open a pipe would wait for whoever writes into it. */
function requireOwnFile(path: string, { isFile, mode, uid }: Deno.FileInfo): void {
  if (!isFile) throw new SettingError(`${path} is no file`);
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
async function requireOwnFolder(path: string): Promise<void> {
  const folder = folderOf(path);
  const { mode } = await Deno.stat(folder);
  if (mode === null || (mode & 0o022) === 0 || (mode & 0o1000) !== 0) return;
  throw new SettingError(`${folder}, where the API key is, can be written to by others: run chmod go-w ${folder}`);
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash) || "/";
}

async function makeKey(path: string): Promise<FileKey> {
  // 256 bits, in the alphabet of RFC 6750 bearer tokens.
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const key = "pk_" + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  try {
    await makeFolder(path);
    await writeNew(path, key + "\n");
    return { key, isNew: true };
  } catch (error) {
    // Another server that was started at the same moment has made it.
    const other = error instanceof Deno.errors.AlreadyExists ? await readKey(path) : undefined;
    if (other) return other;
    throw startError(`${path} cannot be written: ${reason(error)}`, error);
  }
}

/** Makes a file that is whole from its first moment on: another server may be reading it already. */
async function writeNew(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${crypto.randomUUID()}`;
  await Deno.writeTextFile(unfinished, text, { createNew: true, mode: 0o600 });
  try {
    await Deno.link(unfinished, path);
  } finally {
    await Deno.remove(unfinished);
  }
}

/** Makes the folder that a file is to be in, readable by its owner only. */
export async function makeFolder(path: string): Promise<void> {
  await Deno.mkdir(folderOf(path), { recursive: true, mode: 0o700 });
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message.split("\n", 1)[0] ?? "" : String(error);
}
