/** The SQL of the SQLite store, in a separate file so that a test can check SQLite's plan for each statement. */

import type { ExportFormat } from "../pet_exporter.ts";
import { EARLIER_MARK } from "../earlier_requests.ts";
import { PET_JSON, STATUS_NAME } from "../pet_sql.ts";

/** A row as CSV. */
const PET_CSV = `id || ',"' || replace(name, '"', '""') || '",' || category_id || ',' || ${STATUS_NAME}`;

/** Inserts rows of name, category_id, status. One statement for many rows takes a third of the time of single ones. */
export function insertPets(count: number): string {
  return `INSERT INTO pets (name, category_id, status) VALUES ${Array(count).fill("(?, ?, ?)").join(", ")}`;
}

/** Finds a remembered request. Parameters: key, now. */
export const SELECT_REQUEST = "SELECT fingerprint, pet_id FROM idempotency_keys WHERE key = ? AND expires_at > ?";

/**
 * Marks that there may be requests of an earlier release. Its servers may continue for a day, and remember requests for a day.
 * Parameter: now.
 */
export const MARK_EARLIER_REQUESTS = `INSERT OR REPLACE INTO idempotency_keys (key, fingerprint, pet_id, expires_at)
  SELECT '${EARLIER_MARK}', '', 0, 86400000 + max(86400000 + ?, ifnull(max(expires_at), 0)) FROM idempotency_keys`;

/** When the last of them expires. */
export const SELECT_EARLIER_MARK = `SELECT expires_at FROM idempotency_keys WHERE key = '${EARLIER_MARK}'`;

/** Remembers a request, and replaces an expired one with its key. Parameters: key, fingerprint, pet_id, expires_at. */
export const INSERT_REQUEST =
  "INSERT OR REPLACE INTO idempotency_keys (key, fingerprint, pet_id, expires_at) VALUES (?, ?, ?, ?)";

/** Deletes expired requests. Parameters: now, the largest number to delete. */
export const DELETE_REQUESTS = `DELETE FROM idempotency_keys WHERE key IN
  (SELECT key FROM idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`;

/**
 * Write about as many pages as a create, since a full disk may have room for a smaller write, and change nothing. For other
 * connections, this is neither an addition nor an alteration.
 */
export const WRITE_NOTHING = [
  "UPDATE alteration SET stamp = stamp",
  "UPDATE sqlite_sequence SET seq = seq WHERE name = 'pets'",
  "INSERT INTO idempotency_keys (key, fingerprint, pet_id, expires_at) VALUES ('', '', 0, 0)",
  "DELETE FROM idempotency_keys WHERE key = ''",
];

/**
 * Reads the values that distinguish additions from alterations. The version of the schema changes when a backup is restored over
 * the file, and when a trigger is dropped.
 */
export const SELECT_MARKS = `SELECT stamp, (SELECT max(id) FROM pets) AS last,
  (SELECT schema_version FROM pragma_schema_version) AS schema,
  (SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'pets'
    AND name IN ('pet_updated', 'pet_deleted', 'pet_inserted', 'pet_replaced')) AS triggers
  FROM alteration`;

/** Reads one pet. Parameter: id. */
export const SELECT_PET = `SELECT ${PET_JSON} AS json FROM pets WHERE id = ?`;

/** The statements of a list. */
export interface PageSql {
  /** Returns the page as `json`, its length as `count`, its last id as `last`. Parameters: the condition's, twice; limit. */
  page: string;
  /** Returns a row if there is a next page. Parameters: the condition's, with the last id of the page. */
  more: string;
}

/** The upper bound of a page that has fewer rows than its limit. */
const INT64_MAX = 2n ** 63n - 1n;

/** Lists all pets. The condition's parameter: after. */
export const ALL_PETS = pageSql("id > ?");

/** Lists the pets of one status. The condition's parameters: status, after. */
export const PETS_OF_STATUS = pageSql("status = ? AND id > ?");

/** Lines of an export as `text`, their number as `count`, the last id as `last`. Parameters: after, after, limit. */
export function exportPage(format: ExportFormat): string {
  return `SELECT group_concat(${
    format === "csv" ? PET_CSV : PET_JSON
  }, char(10)) AS text, count(*) AS count, max(id) AS last
    FROM pets WHERE id > ? AND id <= ${lastOf("id > ?")}`;
}

/** The chunks of imports that follow one. Parameter: parent. */
export const SELECT_FOLLOWERS = "SELECT digest, records, pets FROM imports WHERE parent = ?";

/** Remembers a chunk. Parameters: parent, digest, records, pets, added_at. */
export const INSERT_CHUNK = "INSERT INTO imports (parent, digest, records, pets, added_at) VALUES (?, ?, ?, ?, ?)";

/** Returns a row if there is a pet. */
export const SELECT_ONE = "SELECT 1 FROM pets LIMIT 1";

/** @param condition Without numbered parameters, because early releases of Node 22 and 24 treat `?1` as a name. */
function pageSql(condition: string): PageSql {
  return {
    page: `SELECT json_group_array(${PET_JSON}) AS json, count(*) AS count, max(id) AS last
      FROM pets WHERE ${condition} AND id <= ${lastOf(condition)}`,
    more: `SELECT 1 FROM pets WHERE ${condition} LIMIT 1`,
  };
}

/**
 * The last id of a page. The subquery finds it in an index; the outer query then reads the rows up to it. An aggregate over a
 * query with LIMIT takes up to three times as long, because SQLite runs such a query as a co-routine and copies every row.
 */
function lastOf(condition: string): string {
  return `ifnull((SELECT id FROM pets WHERE ${condition} ORDER BY id LIMIT 1 OFFSET ? - 1), ${INT64_MAX})`;
}
