/**
 * The statements of the store on D1. None uses a function such as `changes()`, which depends on the connection: D1 guarantees only that the
 * statements of a batch are one transaction.
 */

import { PET_JSON } from "@petstore/petstore/store/toolkit";
import { SCHEMA_VERSION } from "./schema.ts";

/** The present time of the database in milliseconds since 1970, so that all Workers have one clock. */
const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/** The id of the latest pet, because of AUTOINCREMENT. */
const LAST_ID = "(SELECT max(seq) FROM sqlite_sequence WHERE name = 'petstore_pets')";

/** Ids end here. */
const MAX_ID = Number.MAX_SAFE_INTEGER;

/** The end of a SELECT for a new row. It gives no row if a later release has changed the tables so that this one must not write. */
const IF_USABLE = `FROM petstore_schema WHERE id = 1 AND version <= ${SCHEMA_VERSION}`;

/** The id is text, because another program may have given one beyond 2^53. */
const ID = "CAST(id AS TEXT) AS id";

/** Makes a statement for a page, with a row for each pet: D1 charges for each row read, and one JSON array would read each twice. */
function selectPage(condition: string): string {
  // `ORDER BY id` would sort by the column of the result, which is text.
  return `SELECT ${ID}, ${PET_JSON} AS json FROM petstore_pets AS pet WHERE ${condition} ORDER BY pet.id LIMIT ?`;
}

export const SQL = {
  /** Adds a pet. Parameters: a pet. */
  insertPet: `INSERT INTO petstore_pets (name, category_id, status) SELECT ?, ?, ? ${IF_USABLE} RETURNING ${ID}`,
  /**
   * Fails if the latest pet is missing or its id is too large, which undoes the batch: a trigger may have deleted the pet, or given it
   * another id.
   */
  requirePet: `INSERT INTO petstore_schema (id, version)
  SELECT 1, NULL ${IF_USABLE} AND NOT EXISTS (SELECT 1 FROM petstore_pets WHERE id = ${LAST_ID} AND id <= ${MAX_ID})`,
  /** Deletes the request with this key if it has expired, and up to two others. Parameter: key. */
  deleteRequests: `DELETE FROM petstore_requests WHERE key IN (
  SELECT key FROM petstore_requests WHERE key = ? AND expires_at <= ${NOW}
  UNION ALL
  SELECT key FROM (SELECT key FROM petstore_requests WHERE expires_at <= ${NOW} ORDER BY expires_at LIMIT 2))`,
  /**
   * Remembers a request that is not known yet, and reserves the next id for its pet: the id is negative until the pet is there. Parameters:
   * key, fingerprint, retention in milliseconds.
   */
  insertRequest: `INSERT INTO petstore_requests (key, fingerprint, pet_id, expires_at)
  SELECT ?, ?, -1 - min(coalesce(${LAST_ID}, 0), ${MAX_ID}), ${NOW} + ? ${IF_USABLE} ON CONFLICT (key) DO NOTHING`,
  /** Adds the pet under the id that its request has reserved. It adds none for a request that was known. Parameters: a pet, key. */
  insertReservedPet: `INSERT INTO petstore_pets (id, name, category_id, status)
  SELECT -pet_id, ?, ?, ? FROM petstore_requests WHERE key = ? AND pet_id < 0 RETURNING ${ID}`,
  /**
   * Fails if no pet has the reserved id, or the id is too large, which undoes the batch: a trigger may have ignored the pet, or deleted it.
   * Parameter: key.
   */
  confirmRequest:
    `UPDATE petstore_requests SET pet_id = (SELECT id FROM petstore_pets WHERE id = -pet_id AND id <= ${MAX_ID})
  WHERE key = ? AND pet_id < 0`,
  request: "SELECT fingerprint, CAST(pet_id AS TEXT) AS id FROM petstore_requests WHERE key = ?",
  pet: `SELECT ${PET_JSON} AS json FROM petstore_pets WHERE id = ?`,
  /** Shows whether pets can be read. */
  one: "SELECT 1 FROM petstore_pets LIMIT 1",
  all: selectPage("id > ?"),
  ofStatus: selectPage("status = ? AND id > ?"),
};
