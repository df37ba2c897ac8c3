/**
 * Finds the store that the setting `--store` names. The store is opened later: a start that fails
 * because of its port must make no file, so a server opens its store when it listens.
 */

import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { createMemoryStore } from "../../stores/memory/memory_store.ts";
import { exportDatabase, importPets } from "../../stores/sqlite/transfer.ts";
import { inspectDatabase } from "../../stores/sqlite/inspection.ts";
import { listKeys } from "../../stores/sqlite/keys.ts";
import { openSqliteStore } from "../../stores/sqlite/sqlite_store.ts";
import type { Environment } from "../settings/environment.ts";
import { KEY_FILE } from "../first_key/key_file.ts";
import { makeFolderFor } from "../process/folders.ts";
import { formatPetCount } from "../process/lines.ts";
import { explain, SettingError } from "../process/start_error.ts";
import { isShared, type SharedStore, type StoreSetting } from "./store_setting.ts";

const SQLITE = "sqlite:";

/**
 * Finds the store of a setting.
 *
 * @throws {SettingError} If the setting is invalid.
 */
export async function findStore(setting: string, environment: Environment): Promise<StoreSetting | SharedStore> {
  if (setting === "memory:") {
    const description = `${setting} (lost when the server stops)`;
    return { description, open: createMemoryStore };
  }
  if (/^postgres(ql)?:\/\//.test(setting)) {
    const { readPostgresStore } = await import("./postgres.ts");
    return await readPostgresStore(setting, environment);
  }
  if (setting.startsWith(SQLITE)) return storeInFile(setting, readPath(setting));
  // This message quotes the setting, because it is surely the name of a database file. Any other
  // text may contain a secret.
  if (/^[\w./~-]+\.(db|sqlite3?)$/.test(setting)) {
    throw new SettingError(`The store must begin with its kind: write ${SQLITE}${setting} for the file ${setting}`);
  }
  throw new SettingError(KINDS);
}

/** The message about a setting that is no store. */
const KINDS = "The store must be memory:, sqlite:<path> or postgres://…";

/**
 * Finds the store of a setting for a command that works beside servers.
 *
 * @throws {SettingError} If the setting is invalid, or other programs cannot reach the store.
 */
export async function findSharedStore(setting: string, environment: Environment): Promise<SharedStore> {
  const store = await findStore(setting, environment);
  if (isShared(store)) return store;
  throw new SettingError("A store in memory belongs to one server; name a file or a database, or use the API");
}

/** @throws {SettingError} If the setting is invalid, or the store is no SQLite file. */
export async function findSqliteFile(setting: string, environment: Environment): Promise<string> {
  const { path } = await findStore(setting, environment);
  if (path !== undefined) return path;
  throw new SettingError("Only an SQLite file can be backed up or restored; for PostgreSQL use pg_dump and pg_restore");
}

/**
 * Reads the path of a setting `sqlite:<path>`.
 *
 * @throws {SettingError} If the setting names no file.
 */
function readPath(setting: string): string {
  const path = setting.slice(SQLITE.length);
  // Some programs mean a file in the working directory by two or three slashes, and not one in the
  // root. Parameters are of other programs too.
  if (path.startsWith("//") || path.includes("?")) {
    throw new SettingError(
      "The store must have its path after the colon, without //: sqlite:pets.db or sqlite:/data/pets.db, and no parameters",
    );
  }
  // The name of SQLite for a database in memory, which is a store of another kind here.
  if (path === "" || path === ":memory:") throw new SettingError(KINDS);
  // Text with :// may be an address with a password. It is refused, because messages quote paths.
  if (path.includes("://")) throw new SettingError(KINDS);
  return path;
}

function storeInFile(description: string, path: string): SharedStore {
  return {
    description,
    path,
    open() {
      prepareFolder(path);
      return openSqliteStore(path, "auto");
    },
    listKeys: () => listKeys(path),
    async check() {
      const { pets, faults } = await inspectDatabase(path);
      return { faults, contents: formatPetCount(pets) };
    },
    export: (write) => exportDatabase(path, write),
    import(pets, signal) {
      prepareFolder(path);
      return importPets(path, pets, signal);
    },
  };
}

/**
 * Makes the folder of a database file if that is the folder of the key file, which the server makes
 * by itself.
 *
 * @throws {SettingError} If another folder is missing.
 */
export function prepareFolder(path: string): void {
  const folder = dirname(path);
  if (resolve(folder) !== resolve(dirname(KEY_FILE))) {
    if (existsSync(folder)) return;
    throw new SettingError(`${path} cannot be made, because there is no folder ${folder}, or it cannot be read`);
  }
  try {
    makeFolderFor(path);
  } catch (error) {
    throw explain(`${folder} cannot be made`, error);
  }
}
