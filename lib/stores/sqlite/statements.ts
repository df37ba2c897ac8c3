/** The SQL of the SQLite store. Apart, so that a test can ask SQLite how it would run each. */

import { PET_STATUSES, type PetStatus } from "../../pet.ts";

/** What the column `status` holds. As bigint, like all numbers here: `node:sqlite` binds a JavaScript number as REAL. */
const STATUS_CODES: ReadonlyMap<PetStatus, bigint> = new Map([["available", 0n], ["pending", 1n], ["sold", 2n]]);

/** What the column `status` holds for a status. */
export function statusCode(status: PetStatus): bigint {
  const code = STATUS_CODES.get(status);
  if (code === undefined) throw new TypeError("The status of a pet must be one of the three");
  return code;
}

/** The JSON of a row, made by SQLite itself: half the time of making objects out of rows and text out of objects. */
const PET_JSON = `json_object('id', id, 'name', name, 'categoryId', category_id, 'status',
  CASE status ${PET_STATUSES.map((status) => `WHEN ${STATUS_CODES.get(status)} THEN '${status}'`).join(" ")} END)`;

/** Adds rows, each name, category_id, status. One statement of many rows takes a third of the time of one for each. */
export function insertPets(count: number): string {
  return `INSERT INTO pets (name, category_id, status) VALUES ${Array(count).fill("(?, ?, ?)").join(", ")}`;
}

/** A request that is remembered: key, now. */
export const SELECT_REQUEST = "SELECT fingerprint, pet_id FROM idempotency_keys WHERE key = ? AND expires_at > ?";

/** Remembers a request, in place of an expired one with its key: key, fingerprint, pet_id, expires_at. */
export const INSERT_REQUEST =
  "INSERT OR REPLACE INTO idempotency_keys (key, fingerprint, pet_id, expires_at) VALUES (?, ?, ?, ?)";

/** Forgets requests that have expired: now, how many. */
export const DELETE_REQUESTS = `DELETE FROM idempotency_keys WHERE key IN
  (SELECT key FROM idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`;

/** One pet: id. */
export const SELECT_PET = `SELECT ${PET_JSON} AS json FROM pets WHERE id = ?`;

/** The statements of a list. */
export interface PageSql {
  /**
   * The page as `json`, how many rows it has as `count` and the id of its last as `last`: the condition's parameters, and
   * once more, limit.
   */
  page: string;
  /** A row if there is more: the condition's parameters. */
  more: string;
}

/** Where there are fewer rows than the limit, no id is too high. */
const INT64_MAX = 2n ** 63n - 1n;

/** A list of all pets; its condition's parameter: after. */
export const ALL_PETS = pageSql("id > ?");

/** A list of the pets of one status; its condition's parameters: status, after. */
export const PETS_OF_STATUS = pageSql("status = ? AND id > ?");

/** @param condition Its parameters are not numbered: early releases of Node 22 and 24 take `?1` for a name. */
function pageSql(condition: string): PageSql {
  // The last id is looked up first, in an index alone, and then the rows up to it are read: to aggregate over a query with
  // a LIMIT, SQLite would run that as a co-routine and copy every row, which takes up to three times as long.
  const last = `ifnull((SELECT id FROM pets WHERE ${condition} ORDER BY id LIMIT 1 OFFSET ? - 1), ${INT64_MAX})`;
  return {
    page: `SELECT json_group_array(${PET_JSON}) AS json, count(*) AS count, max(id) AS last
      FROM pets WHERE ${condition} AND id <= ${last}`,
    more: `SELECT 1 FROM pets WHERE ${condition} LIMIT 1`,
  };
}
