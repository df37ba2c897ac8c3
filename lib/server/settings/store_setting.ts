/**
 * The store that the setting `--store` names, before it is open, and what commands do with it. It is
 * opened later: a start that fails because of its port must make no file, so a server opens its
 * store when it listens.
 */

import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { PetSink } from "../../stores/database/sql_tables.ts";
import type { StoredKey } from "../../stores/key_store.ts";
import { createMemoryStore } from "../../stores/memory/memory_store.ts";
import { exportDatabase, importPets } from "../../stores/sqlite/transfer.ts";
import { inspectDatabase } from "../../stores/sqlite/inspection.ts";
import { listKeys } from "../../stores/sqlite/keys.ts";
import { openSqliteStore } from "../../stores/sqlite/sqlite_store.ts";
import type { KeyedPetStore, PetDraft } from "../../stores/store.ts";
import { KEY_FILE } from "../first_key/key_file.ts";
import { formatPetCount } from "../process/messages.ts";
import { makeFolderFor } from "../process/new_files.ts";
import type { Environment } from "../process/runtime.ts";
import { explain, firstLine, SettingError } from "../process/start_error.ts";
import { checkAsSetting } from "./formats.ts";

/** A store that this process has opened. `isNew` says whether that has made its tables. */
export type OpenStore = KeyedPetStore & { readonly isNew?: boolean };

/** A store that is not open yet. */
export interface StoreSetting {
  /** The address of the store without its secrets, for messages. */
  description: string;
  /** The path of the SQLite file. It is absent for other stores. */
  path?: string;
  open(): OpenStore | Promise<OpenStore>;
}

/**
 * A file or a database, and what commands can do with it while servers use it. Each method opens
 * the store for itself. A store in memory has none of them, because only its own server can reach
 * it.
 */
export interface SharedStore extends StoreSetting {
  /**
   * Reads the API keys without opening the store, which would make or migrate it. Fails if the
   * store does not exist.
   */
  listKeys(): Promise<readonly StoredKey[]>;
  /**
   * Finds the `faults` for which the store is not sound, and tells what a sound one has, which may
   * include the schema.
   */
  check(): Promise<{ faults: string[]; contents: string }>;
  /** Writes all pets, as they are at one moment. */
  export(write: PetSink): Promise<unknown>;
  /** Adds all pets, or none, such as when the signal is aborted. `isNew` says whether this has made the tables. */
  import(pets: readonly PetDraft[], signal: AbortSignal): Promise<{ isNew: boolean }>;
}

export function isShared(setting: StoreSetting | SharedStore): setting is SharedStore {
  return "listKeys" in setting;
}

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

/** @throws {SettingError} If the address is invalid, or the package is not installed. */
export async function readPostgresStore(address: string, environment: Environment): Promise<SharedStore> {
  const { readPostgresSetting } = await loadPostgres();
  return checkAsSetting(() => readPostgresSetting(address, environment("PGPASSWORD")));
}

/** What the server uses of the package with the store on PostgreSQL. */
export interface PostgresModule {
  /**
   * Nothing is opened before a method of the result is called. No method needs its `this`.
   *
   * @throws {TypeError} If the address is invalid.
   */
  readPostgresSetting(address: string, password: string | undefined): SharedStore;
  postgresSchema(): string;
  postgresGrants(role: string): string;
}

/**
 * The package is loaded when a setting asks for it, so that a server
 * on SQLite needs neither the package nor its driver. The type is `string`, because Deno would load a
 * package whose name is a literal at every start.
 */
const PACKAGE: string = "@petstore/postgres/server";

/** @throws {SettingError} If the package is not installed. */
export async function loadPostgres(): Promise<PostgresModule> {
  try {
    return await import(PACKAGE);
  } catch (error) {
    throw new SettingError(
      `The store on PostgreSQL cannot be loaded: ${firstLine(error)}; install it by npm install @petstore/postgres, ` +
        "or on Deno by deno add jsr:@petstore/postgres",
    );
  }
}
