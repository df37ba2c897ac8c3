/**
 * The statements of the SQLite store. They have a file of their own, so that a test can check SQLite's plan for each.
 */

import { PET_JSON } from "../sql_tables.ts";

export function insertPets(count: number): string {
  return `INSERT INTO pets (name, category_id, status) VALUES ${Array(count).fill("(?, ?, ?)").join(", ")}`;
}

/** The id after which SQLite numbers the next pet (AUTOINCREMENT). */
export const SELECT_LAST_ID =
  `SELECT max(ifnull((SELECT CAST(seq AS INTEGER) FROM sqlite_sequence WHERE name = 'pets'), 0),
  ifnull((SELECT max(id) FROM pets), 0)) AS last`;

/** Counts the pets after an id, and finds the largest of their ids. Parameter: the id. */
export const SELECT_ADDED = "SELECT count(*) AS count, ifnull(max(id), 0) AS greatest FROM pets WHERE id > ?";

/** Finds a remembered request. Parameters: key, now. */
export const SELECT_REQUEST = "SELECT fingerprint, pet_id AS id FROM idempotency_keys WHERE key = ? AND expires_at > ?";

/** Remembers a request. It replaces an expired one with the same key. Parameters: key, fingerprint, pet_id, expires_at. */
export const INSERT_REQUEST =
  "INSERT OR REPLACE INTO idempotency_keys (key, fingerprint, pet_id, expires_at) VALUES (?, ?, ?, ?)";

/** Deletes requests that have expired. Parameters: now, the largest number to delete. */
export const DELETE_REQUESTS = `DELETE FROM idempotency_keys WHERE key IN
  (SELECT key FROM idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`;

/** Statements that store nothing, but write about as much as a create does: a full disk may still have room for less. */
export const WRITE_NOTHING = [
  "UPDATE alteration SET stamp = stamp",
  "UPDATE sqlite_sequence SET seq = seq WHERE name = 'pets'",
  "INSERT INTO idempotency_keys (key, fingerprint, pet_id, expires_at) VALUES ('', '', 0, 0)",
  "DELETE FROM idempotency_keys WHERE key = ''",
];

/**
 * Reads the marks by which changes are noticed. The version of the schema is one of them: it changes at each change of a table or a
 * trigger, and when another database is restored over the file.
 */
export const SELECT_MARKS = `SELECT (SELECT schema_version FROM pragma_schema_version) AS schema, stamp,
  ifnull((SELECT max(id) FROM pets), 0) AS last FROM alteration`;

export const SELECT_PET = `SELECT ${PET_JSON} AS json FROM pets WHERE id = ?`;

const INT64_MAX = 2n ** 63n - 1n;

/** Reads a page of all pets. Parameters: after, limit, after. */
export const ALL_PETS: string = selectPage("id > ?");

/** Reads a page of the pets of one status. Parameters: status, after, limit, status, after. */
export const PETS_OF_STATUS: string = selectPage("status = ? AND id > ?");

/** Reads a page as the lines of an export, and counts them. Parameters: after, limit, after. */
export const EXPORT_PAGE: string = selectPage(
  "id > ?",
  `group_concat(${PET_JSON}, char(10)) AS text, count(*) AS count`,
);

/**
 * Makes a statement that gives one row for a page. `last` is the last id of the page, and `following` the first id after the page, or null
 * if this is the last one. For speed, the inner query finds the following id first, and the outer one reads all rows before it: SQLite runs
 * an aggregate over a query with LIMIT as a slow co-routine.
 *
 * @param condition Which pets are on the page. It writes a parameter as `?`, because early releases of Node 22 and 24 treat `?1` as a name.
 */
function selectPage(condition: string, columns = `json_group_array(${PET_JSON}) AS json`): string {
  return `SELECT ${columns}, max(id) AS last, following
    FROM (SELECT (SELECT id FROM pets WHERE ${condition} ORDER BY id LIMIT 1 OFFSET ?) AS following) CROSS JOIN pets
    WHERE ${condition} AND id <= ifnull(following - 1, ${INT64_MAX})`;
}
