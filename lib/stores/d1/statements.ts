/** No statement depends on the connection, as `changes()` does: D1 guarantees only one transaction. */

import { PET_JSON } from "../pet_sql.ts";
import { SCHEMA_VERSION } from "./schema.ts";

/** In milliseconds since 1970, the same for all Workers. */
const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/** No row if a later release has changed the tables so that this one must not write. */
const IF_USABLE = `FROM petstore_schema WHERE id = 1 AND oldest_version <= ${SCHEMA_VERSION}`;

/** Text, because another program may have given an id beyond 2^53. */
const ID = "CAST(id AS TEXT) AS id";

/** Parameters: name, category_id, status. */
export const INSERT_PET = `INSERT INTO petstore_pets (name, category_id, status) SELECT ?, ?, ? ${IF_USABLE}
  RETURNING ${ID}`;

/** Deletes the request with this key if it has expired, and up to two others. Parameter: key. */
export const DELETE_REQUESTS = `DELETE FROM petstore_requests WHERE key IN (
  SELECT key FROM petstore_requests WHERE key = ? AND expires_at <= ${NOW}
  UNION ALL
  SELECT key FROM (SELECT key FROM petstore_requests WHERE expires_at <= ${NOW} ORDER BY expires_at LIMIT 2))`;

/** Parameters: name, category_id, status, key. */
export const INSERT_PET_ONCE = `INSERT INTO petstore_pets (name, category_id, status) SELECT ?, ?, ? ${IF_USABLE}
  AND NOT EXISTS (SELECT 1 FROM petstore_requests WHERE key = ?)
  RETURNING ${ID}`;

/**
 * Because of AUTOINCREMENT, the new pet has the largest id. Parameters: key, fingerprint, retention in milliseconds.
 */
export const INSERT_REQUEST = `INSERT INTO petstore_requests (key, fingerprint, pet_id, expires_at)
  SELECT ?, ?, (SELECT max(id) FROM petstore_pets), ${NOW} + ? ${IF_USABLE} ON CONFLICT (key) DO NOTHING`;

export const SELECT_REQUEST = "SELECT fingerprint, CAST(pet_id AS TEXT) AS id FROM petstore_requests WHERE key = ?";

/** Write about as much as a create, since a full database may have room for less. */
export const WRITE_NOTHING = [
  `INSERT INTO petstore_requests (key, fingerprint, pet_id, expires_at) SELECT '', '', 0, 0 ${IF_USABLE} RETURNING 1`,
  "DELETE FROM petstore_requests WHERE key = ''",
] as const;

export const SELECT_PET = `SELECT ${PET_JSON} AS json FROM petstore_pets WHERE id = ?`;

export const SELECT_ONE = "SELECT 1 FROM petstore_pets LIMIT 1";

/** Parameters: after, limit. */
export const ALL_PETS = page("id > ?");

/** Parameters: status, after, limit. */
export const PETS_OF_STATUS = page("status = ? AND id > ?");

/** A row for each pet: D1 charges for each row read, and an array reads it twice. */
function page(condition: string): string {
  // `ORDER BY id` would sort by the column of the result, which is text.
  return `SELECT ${ID}, ${PET_JSON} AS json FROM petstore_pets AS pet WHERE ${condition} ORDER BY pet.id LIMIT ?`;
}
