/**
 * The store on any database that runs statements of SQLite as one transaction: D1 or that of a
 * Durable Object. No statement uses a function such as `changes()`, which depends on the
 * connection: D1 guarantees only that the statements of a batch are one transaction.
 */

import type {
  IdempotentOutcome,
  IdempotentRequest,
  KeyedPetStore,
  PetDraft,
  PetPage,
  PetQuery,
} from "@petstore/petstore/store";
import {
  outcomeOfRepeated,
  pageOf,
  PET_JSON,
  requireValid,
  type Rows,
  SqlKeys,
  statusCode,
  type Value,
} from "@petstore/petstore/store/toolkit";
import { interference } from "./errors.ts";
import { createTables, type RunTransaction } from "./schema.ts";

/** The present time of the database in milliseconds since 1970, so that all Workers have one clock. */
const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/** The id of the latest pet, because of AUTOINCREMENT. */
const LAST_ID = "(SELECT max(seq) FROM sqlite_sequence WHERE name = 'petstore_pets')";

/** Ids end here. */
const MAX_ID = Number.MAX_SAFE_INTEGER;

/** The id is text, because another program may have given one beyond 2^53. */
const ID = "CAST(id AS TEXT) AS id";

// A create without an Idempotency-Key runs these two statements.

/** Parameters: a pet. */
const INSERT_PET = `INSERT INTO petstore_pets (name, category_id, status) VALUES (?, ?, ?) RETURNING ${ID}`;

/**
 * Undoes the transaction if the pet is not there under a valid id, because another program's
 * trigger has deleted it or given it another one. It does so by a version that is NULL.
 */
const REQUIRE_PET = `INSERT INTO petstore_schema (id, version)
  SELECT 1, NULL WHERE NOT EXISTS (SELECT 1 FROM petstore_pets WHERE id = ${LAST_ID} AND id <= ${MAX_ID})`;

// A create with an Idempotency-Key runs the next five statements, in the order of the steps that
// `createOnce()` has. If a transaction must not be committed, a statement writes NULL into a column
// that is NOT NULL, and so fails.

/** Step 1. It also forgets up to two other expired requests. Parameter: key. */
const FORGET_EXPIRED_REQUESTS = `DELETE FROM petstore_requests WHERE key IN (
  SELECT key FROM petstore_requests WHERE key = ? AND expires_at <= ${NOW}
  UNION ALL
  SELECT key FROM (SELECT key FROM petstore_requests WHERE expires_at <= ${NOW} ORDER BY expires_at LIMIT 2))`;

/** Step 2. Parameters: key, fingerprint, retention in milliseconds. */
const RESERVE_ID = `INSERT INTO petstore_requests (key, fingerprint, pet_id, expires_at)
  VALUES (?, ?, -1 - min(coalesce(${LAST_ID}, 0), ${MAX_ID}), ${NOW} + ?) ON CONFLICT (key) DO NOTHING`;

/** Step 3. Parameters: a pet, key. */
const INSERT_RESERVED_PET = `INSERT INTO petstore_pets (id, name, category_id, status)
  SELECT -pet_id, ?, ?, ? FROM petstore_requests WHERE key = ? AND pet_id < 0 RETURNING ${ID}`;

/** Step 4. If no pet has the reserved id, `pet_id` would be NULL. Parameter: key. */
const CONFIRM_REQUEST =
  `UPDATE petstore_requests SET pet_id = (SELECT id FROM petstore_pets WHERE id = -pet_id AND id <= ${MAX_ID})
  WHERE key = ? AND pet_id < 0`;

/** Step 5. Parameter: key. */
const SELECT_REQUEST = "SELECT fingerprint, CAST(pet_id AS TEXT) AS id FROM petstore_requests WHERE key = ?";

const SELECT_PET = `SELECT ${PET_JSON} AS json FROM petstore_pets WHERE id = ?`;

// A page has a row for each pet: D1 charges for each row read, and one JSON array would read each
// twice. `ORDER BY id` would sort by the column of the result, which is text.
const PET_ROWS = `SELECT ${ID}, ${PET_JSON} AS json FROM petstore_pets AS pet`;
const SELECT_PAGE = `${PET_ROWS} WHERE id > ? ORDER BY pet.id LIMIT ?`;
const SELECT_PAGE_OF_STATUS = `${PET_ROWS} WHERE status = ? AND id > ? ORDER BY pet.id LIMIT ?`;

/**
 * @param name The name of the database in messages.
 * @param run Runs statements in the database.
 */
export function createSqlStore(name: string, run: RunTransaction): KeyedPetStore {
  const tables = createTables(name, run);

  async function create(pet: PetDraft): Promise<bigint> {
    const [inserted] = await tables.runCreate([INSERT_PET, ...valuesOf(pet)], [REQUIRE_PET]);
    const id = idOf(inserted);
    if (id === undefined) throw interference(name);
    return id;
  }

  /**
   * Adds a pet unless the request is known, in one transaction:
   *
   * 1. A request with this key that has expired is forgotten.
   * 2. If the key is not known, the request is remembered, and the next id is reserved for its
   *    pet. The id is negative, which says that the pet is still missing.
   * 3. If the id is negative, the pet is inserted under it.
   * 4. If the id is negative, it becomes positive. This fails if the pet is not there, because a
   *    trigger of another program has ignored or deleted it. Then nothing of all this has happened.
   * 5. What is remembered of the request is read: it tells whether the pet is that of this request.
   */
  async function createOnce(
    pet: PetDraft,
    { key, fingerprint, retentionMs }: IdempotentRequest,
  ): Promise<IdempotentOutcome> {
    const [_forgotten, _reserved, inserted, _confirmed, remembered] = await tables.runCreate(
      [FORGET_EXPIRED_REQUESTS, key],
      [RESERVE_ID, key, fingerprint, retentionMs],
      [INSERT_RESERVED_PET, ...valuesOf(pet), key],
      [CONFIRM_REQUEST, key],
      [SELECT_REQUEST, key],
    );
    const id = idOf(inserted);
    if (id !== undefined) return { outcome: "created", id };
    const row = remembered?.[0] as { fingerprint: string; id: string } | undefined;
    if (!row) throw interference(name);
    return outcomeOfRepeated({ fingerprint: row.fingerprint, id: BigInt(row.id) }, fingerprint);
  }

  async function get(id: bigint): Promise<string | undefined> {
    const [rows] = await tables.run([SELECT_PET, String(id)]);
    return rows?.[0]?.["json"] as string | undefined;
  }

  async function list({ after, limit, status }: PetQuery): Promise<PetPage> {
    // One row more than the page has shows whether another page follows.
    const bounds = [String(after), limit + 1];
    const [rows] = await tables.run(
      status === undefined ? [SELECT_PAGE, ...bounds] : [SELECT_PAGE_OF_STATUS, statusCode(status), ...bounds],
    );
    return pageOf(rows as { id: string; json: string }[], limit);
  }

  return {
    keys: new SqlKeys("petstore_keys", (_kind, ...statements) => tables.run(...statements)),
    create,
    createOnce,
    get,
    list,
    async check() {
      await tables.run(["SELECT 1 FROM petstore_pets LIMIT 1"]);
    },
    /**
     * Refuses later calls at once. It waits for no create, because a request of a Worker must not
     * wait for the creates of others.
     */
    close: () => tables.close(),
    [Symbol.asyncDispose]: () => Promise.resolve(tables.close()),
  };
}

function valuesOf(pet: PetDraft): Value[] {
  const status = requireValid(pet);
  return [pet.name, String(pet.categoryId), status];
}

/** The id of the pet that a statement has inserted; undefined if it has inserted none. */
function idOf(rows: Rows | undefined): bigint | undefined {
  const id = rows?.[0]?.["id"];
  return id === undefined ? undefined : BigInt(id as string);
}
