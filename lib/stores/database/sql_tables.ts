/** The tables of an SQL store: the columns of each, and how its rows become a page of pets or a key. */

import { PET_STATUSES } from "../../pet.ts";
import type { StoredKey } from "../key_store.ts";
import { statusCode } from "../status_code.ts";
import type { PetPage } from "../store.ts";

// The columns of the tables of every SQL store. `petstore check` compares their text, so a
// published one must not change.

/**
 * The columns of the pets. AUTOINCREMENT keeps SQLite from giving the id of a deleted last row
 * again. The status is a number, which `status_code.ts` defines.
 */
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

/** The SQL expression for the name of a pet's status. */
const STATUS_NAME: string = `CASE status ${
  PET_STATUSES.map((status) => `WHEN ${statusCode(status)} THEN '${status}'`).join(" ")
} END`;

/**
 * The SQL expression for the JSON of a pet, exactly in the format of formatPet(). SQLite makes the
 * JSON for speed, because it is faster than `JSON.stringify()`, and it writes integers to the last
 * digit.
 */
export const PET_JSON: string =
  `json_object('id', id, 'name', name, 'categoryId', category_id, 'status', ${STATUS_NAME})`;

/**
 * Makes a page of rows.
 *
 * @param rows The id and the JSON of each pet, in ascending order of id. The query asks for one row
 * more than the page may have: if that comes, there is a next page.
 * @param limit How many pets the page may have.
 */
export function pageOf(rows: readonly { id: unknown; json: unknown }[], limit: number): PetPage {
  const shown = rows.slice(0, limit);
  const json = `[${shown.map(({ json }) => json).join(",")}]`;
  return rows.length > limit ? { json, next: BigInt(String(shown.at(-1)!.id)) } : { json };
}

/** What a driver may give for an integer. */
type Integer = number | bigint | string;

interface KeyRow extends Record<"id" | "digest" | "label" | "caller", string> {
  /** Whether the key may only read. SQLite has no boolean, so it may be 0 or 1. */
  read_only: Integer | boolean;
  created_at: Integer;
  expires_at: Integer | null;
  revoked_at: Integer | null;
}

/** Makes the key of a row with {@link KEY_COLUMNS}, whose times are in milliseconds since 1970. */
export function keyOfRow(given: unknown): StoredKey {
  const row = given as KeyRow;
  const dateOf = (time: Integer | null) => time === null ? undefined : new Date(Number(time));
  return {
    id: row.id,
    digest: row.digest,
    label: row.label,
    caller: row.caller,
    // What is no number counts as true, so that a key never gets a right by mistake.
    readOnly: Number(row.read_only) !== 0,
    created: new Date(Number(row.created_at)),
    expires: dateOf(row.expires_at),
    revoked: dateOf(row.revoked_at),
  };
}

/**
 * Receives pets in ascending order of id as NDJSON, the JSON of a pet on each line. `text` has
 * whole lines, without the end of the last one, and `pets` is their number. The next lines come
 * when the promise has resolved.
 */
export type PetSink = (text: string, pets: number) => Promise<void>;
