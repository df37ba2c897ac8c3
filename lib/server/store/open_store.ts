/** From a `--store` setting to a store. */

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { createMemoryStore } from "../../stores/memory/memory_store.ts";
import { createSqliteStore } from "../../stores/sqlite/sqlite_store.ts";
import { isPassing } from "../../stores/postgres/client/errors.ts";
import { type PetStore, StoreUnavailableError } from "../../stores/store.ts";
import { makeFolder } from "../key_file.ts";
import { describePostgres, openPostgres } from "./open_postgres.ts";
import { type PostgresTarget, readPostgresUrl } from "./postgres_url.ts";
import { POSTGRES, SettingError, SQLITE, UnreachableError } from "../settings.ts";
import { startError } from "../start_error.ts";

/** A setting that was understood. */
export interface StoreSetting {
  /** As it may be shown. */
  description: string;
  /** Whether it needs the permission to read after it was opened: to see that its files are still in their places. */
  needsRead: boolean;
  /**
   * Opens the store.
   *
   * @throws {SettingError} If it cannot be opened.
   */
  open(): PetStore | Promise<PetStore>;
}

/**
 * Understands a setting that {@link readSettings} has accepted.
 *
 * @throws {SettingError} If it is an address that cannot be meant.
 */
export function readStoreSetting(setting: string, environment: (name: string) => string | undefined): StoreSetting {
  if (setting === "memory:") {
    const description = `${setting} (gone when the server stops)`;
    return { description, needsRead: false, open: createMemoryStore };
  }
  if (!POSTGRES.test(setting)) {
    return { description: setting, needsRead: true, open: () => openSqlite(setting) };
  }
  const target = readPostgresUrl(setting, environment);
  return { description: describePostgres(target), needsRead: false, open: () => tryPostgres(target) };
}

function openSqlite(setting: string): PetStore {
  const path = setting.slice(SQLITE.length);
  try {
    // Only one that is missing: to make a folder needs more permission than to write a database into it.
    if (isMissing(dirname(path))) makeFolder(path);
    return createSqliteStore(path);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw startError(error instanceof StoreUnavailableError ? message : `${path} cannot be opened: ${message}`, error);
  }
}

/** Whether nothing is there. What cannot be looked at is left to who opens the file, and knows better what is wrong. */
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
