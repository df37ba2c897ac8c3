/** The database of the API keys if the pets are kept in memory. */

import { existsSync } from "node:fs";
import { openSqlite } from "./open_store.ts";
import { isPermitted } from "../process.ts";
import type { SqliteStore } from "../../stores/sqlite/store.ts";

/** Its path, relative to the working directory. */
export const KEY_DATABASE = "data/keys.db";

/**
 * Opens the database.
 *
 * @param createIfMissing Whether to create it.
 * @returns Undefined if it is missing and not created.
 * @throws {SettingError} If it cannot be opened.
 */
export async function openKeyDatabase(createIfMissing: boolean): Promise<SqliteStore | undefined> {
  const exists = isPermitted({ name: "read", path: KEY_DATABASE }) && existsSync(KEY_DATABASE);
  return exists || createIfMissing ? await openSqlite(KEY_DATABASE, "same-thread") : undefined;
}
