/** The API key that the server makes for itself when it was given none. */

import { createKeyCheck } from "../http/auth.ts";
import { SettingError } from "./settings.ts";

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
    const { mode } = await Deno.stat(path);
    // Windows has no mode.
    if (mode !== null && (mode & 0o077) !== 0) {
      throw new SettingError(`${path} can be read by others than its owner: run chmod 600 ${path}, or set a new key`);
    }
    const key = (await Deno.readTextFile(path)).trim();
    if (key === "") throw new SettingError(`${path} is empty: delete it and a new key is made`);
    createKeyCheck([key]);
    return { key, isNew: false };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error instanceof SettingError ? error : new SettingError(`${path} cannot be used: ${reason(error)}`);
  }
}

async function makeKey(path: string): Promise<FileKey> {
  // 256 bits, in the alphabet of RFC 6750 bearer tokens.
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const key = "pk_" + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  try {
    await makeFolder(path);
    await Deno.writeTextFile(path, key + "\n", { createNew: true, mode: 0o600 });
    return { key, isNew: true };
  } catch (error) {
    // Another server that was started at the same moment has made it.
    const other = error instanceof Deno.errors.AlreadyExists ? await readKey(path) : undefined;
    if (other) return other;
    throw new SettingError(`${path} cannot be written: ${reason(error)}`);
  }
}

/** Makes the folder that a file is to be in, readable by its owner only. */
export async function makeFolder(path: string): Promise<void> {
  const slash = path.lastIndexOf("/");
  if (slash > 0) await Deno.mkdir(path.slice(0, slash), { recursive: true, mode: 0o700 });
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message.split("\n", 1)[0] ?? "" : String(error);
}
