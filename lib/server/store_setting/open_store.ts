/**
 * Finds the store that the setting `--store` names. The store is opened later, when the server listens: a start that fails because of its
 * port must make no file.
 */

import { createMemoryStore } from "../../stores/memory/memory_store.ts";
import { exportDatabase } from "../../stores/sqlite/exporter.ts";
import { importPets } from "../../stores/sqlite/importer.ts";
import { inspectDatabase } from "../../stores/sqlite/inspection.ts";
import { listKeys } from "../../stores/sqlite/keys.ts";
import { openSqliteStore } from "../../stores/sqlite/sqlite_store.ts";
import type { Environment } from "../settings/environment.ts";
import { SettingError } from "../process/start_error.ts";
import { formatPetCount } from "../process/lines.ts";
import { prepareFolder } from "./new_file.ts";
import type { StoreSetting } from "./store_setting.ts";

const SQLITE = "sqlite:";

/**
 * Finds the store of a setting.
 *
 * @throws {SettingError} If the setting is invalid.
 */
export async function readStoreSetting(setting: string, environment: Environment): Promise<StoreSetting> {
  if (setting === "memory:") {
    const description = `${setting} (lost when the server stops)`;
    return { description, open: createMemoryStore };
  }
  if (/^postgres(ql)?:\/\//.test(setting)) {
    const { readPostgresStore } = await import("./postgres.ts");
    return await readPostgresStore(setting, environment);
  }
  const path = readPath(setting);
  if (path !== undefined) return fileSetting(setting, path);
  // This message quotes the setting, because it is surely the name of a database file. Any other text may contain a secret.
  if (/^[\w./~-]+\.(db|sqlite3?)$/.test(setting)) {
    throw new SettingError(`The store must begin with its kind: write ${SQLITE}${setting} for the file ${setting}`);
  }
  throw new SettingError("The store must be memory:, sqlite:<path> or postgres://…");
}

/**
 * The path of the file that a setting `sqlite:<path>` names, or undefined if the setting names no file.
 *
 * @throws {SettingError} If the path has a part that a path does not have here.
 */
function readPath(setting: string): string | undefined {
  if (!setting.startsWith(SQLITE)) return undefined;
  const path = setting.slice(SQLITE.length);
  // Other programs write addresses with // too, and some of them mean a file in the working directory by two or three slashes, not one in
  // the root.
  if (path.startsWith("//") || path.includes("?")) {
    throw new SettingError(
      "The store must have its path after the colon, without //: sqlite:pets.db or sqlite:/data/pets.db, and no parameters",
    );
  }
  // Text with :// may be an address with a password. It is no path here, because messages quote paths.
  const isPath = path !== "" && path !== ":memory:" && !path.includes("://");
  return isPath ? path : undefined;
}

function fileSetting(description: string, path: string): StoreSetting {
  return {
    description,
    path,
    open() {
      prepareFolder(path);
      return openSqliteStore(path, "auto");
    },
    shared: {
      listKeys: () => listKeys(path),
      async check() {
        const { pets, faults } = await inspectDatabase(path);
        return { faults, contents: formatPetCount(pets) };
      },
      export: (write) => exportDatabase(path, write),
      async import(pets, signal) {
        prepareFolder(path);
        return await importPets(path, pets, signal);
      },
    },
  };
}
