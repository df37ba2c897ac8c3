/** Turns the `--store` setting into a store. */

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { createMemoryStore } from "../../stores/memory/memory_store.ts";
import { SqliteStore } from "../../stores/sqlite/store.ts";
import { isPassing } from "../../stores/postgres/client/errors.ts";
import { type PetStore, StoreUnavailableError } from "../../stores/store.ts";
import { makeFolderFor } from "../folders.ts";
import { SettingError, startError, UnreachableError } from "../start_error.ts";
import { KeptFiles } from "./kept_files.ts";
import { describePostgres, openPostgres } from "./open_postgres.ts";
import { type PostgresTarget, readPostgresUrl } from "./postgres_url.ts";

/** A store that can be opened. */
export interface StoreSetting {
  /** The setting without its secrets, for messages. */
  description: string;
  /** Whether the open store needs permission to read files here. SQLite's store checks that its files are in place. */
  needsRead: boolean;
  /**
   * Opens the store.
   *
   * @throws {SettingError} If it cannot be opened.
   */
  open(): PetStore | Promise<PetStore>;
}

const MEMORY = "memory:";
const SQLITE = "sqlite:";
const POSTGRES = /^postgres(ql)?:\/\//;

/**
 * Parses a `--store` setting. Opens nothing yet.
 *
 * @throws {SettingError} If the setting is invalid.
 */
export function readStoreSetting(setting: string, environment: (name: string) => string | undefined): StoreSetting {
  if (setting === MEMORY) {
    const description = `${setting} (lost when the server stops)`;
    return { description, needsRead: false, open: createMemoryStore };
  }
  if (POSTGRES.test(setting)) {
    const target = readPostgresUrl(setting, environment);
    return { description: describePostgres(target), needsRead: false, open: () => tryPostgres(target) };
  }
  if (setting.startsWith(SQLITE) && setting !== SQLITE) {
    const path = setting.slice(SQLITE.length);
    const isConfined = canConfine() && path !== ":memory:";
    return { description: setting, needsRead: !isConfined, open: () => openSqlite(path, isConfined) };
  }
  // The message may show the name of a database file, but no other text, because it may contain a secret.
  if (/^[\w./~-]+\.(db|sqlite3?)$/.test(setting)) {
    throw new SettingError(`The store ${setting} must begin with its kind: ${SQLITE}${setting} for a file`);
  }
  throw new SettingError("The store must be memory:, sqlite:<path> or postgres://…");
}

/**
 * Whether an isolate with permissions of its own can be started. Without the flag for that, Deno would end the process. Both
 * unstable flags belong together, and only the other one shows.
 */
function canConfine(): boolean {
  const lib = new URL("../../", import.meta.url);
  const isReadable = lib.protocol !== "file:" ||
    Deno.permissions.querySync({ name: "read", path: lib }).state === "granted";
  return isReadable && "listenDatagram" in Deno;
}

/** @param isConfined Whether only an isolate of its own keeps the permission for files. */
async function openSqlite(path: string, isConfined: boolean): Promise<PetStore> {
  try {
    // Only if necessary, because creating a folder needs more permissions than creating a database in it.
    if (isMissing(dirname(path))) makeFolderFor(path);
    const store = new SqliteStore(path, isConfined ? (opened) => new KeptFiles(opened) : "thread");
    // Now, because the thread opens the file too, and the server is about to give up the permission to write.
    await store.startWriter();
    // A server whose isolate for files did not start would refuse every create.
    await store.check();
    return store;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw startError(error instanceof StoreUnavailableError ? message : `${path} cannot be opened: ${message}`, error);
  }
}

/** Whether a path does not exist. An unreadable one counts as existing, because opening it gives a better message. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

async function tryPostgres(target: PostgresTarget): Promise<PetStore> {
  try {
    return await openPostgres(target);
  } catch (error) {
    if (error instanceof SettingError) throw error;
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    const line = `${describePostgres(target)} cannot be opened: ${message}`;
    throw cause !== undefined && isPassing(cause) ? new UnreachableError(line) : new SettingError(line);
  }
}
