/** The pets as rows of an SQL database: their columns, their JSON, and a page of them. */

import { PET_STATUSES } from "../pet.ts";
import { statusCode } from "./status_code.ts";
import type { PetPage } from "./store.ts";

// The columns of the tables of every SQL store. `petstore check` compares their text, so a published one must not change.

/** The columns of the pets. AUTOINCREMENT: the id of a deleted last row is not reused. For the status, see `status_code.ts`. */
export const PET_COLUMNS: string = `(
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     name TEXT NOT NULL,
     category_id INTEGER NOT NULL,
     status INTEGER NOT NULL CHECK (status IN (0, 1, 2))
   ) STRICT`;

/** The columns of the remembered requests. `expires_at` is in milliseconds since 1970. */
export const REQUEST_COLUMNS: string = `(
     key TEXT PRIMARY KEY,
     fingerprint TEXT NOT NULL,
     pet_id INTEGER NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID`;

/** The columns of the API keys. Times are in milliseconds since 1970. */
export const KEY_COLUMNS: string = `(
     id TEXT PRIMARY KEY,
     digest TEXT NOT NULL UNIQUE,
     label TEXT NOT NULL,
     caller TEXT NOT NULL,
     read_only INTEGER NOT NULL CHECK (read_only IN (0, 1)),
     created_at INTEGER NOT NULL,
     expires_at INTEGER,
     revoked_at INTEGER
   ) STRICT`;

const STATUS_NAME: string = `CASE status ${
  PET_STATUSES.map((status) => `WHEN ${statusCode(status)} THEN '${status}'`).join(" ")
} END`;

/**
 * Exactly the format of formatPet(). SQLite is faster than `JSON.stringify()`, and writes integers to the last digit.
 */
export const PET_JSON: string =
  `json_object('id', id, 'name', name, 'categoryId', category_id, 'status', ${STATUS_NAME})`;

/**
 * The page of rows with the id and the JSON of a pet each.
 *
 * @param rows In order. One more than the page may have shows that there is a next page.
 */
export function pageOf(rows: readonly { id: unknown; json: unknown }[], limit: number): PetPage {
  const shown = rows.slice(0, limit);
  const json = `[${shown.map(({ json }) => json).join(",")}]`;
  return rows.length > limit ? { json, next: BigInt(String(shown.at(-1)!.id)) } : { json };
}

/**
 * Receives pets in ascending order of id as NDJSON, the JSON of a pet on each line: whole lines without the last line's
 * end, and their number.
 */
export type PetSink = (text: string, pets: number) => Promise<void>;
