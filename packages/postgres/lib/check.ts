import type { StatementQueue } from "./client/statement_queue.ts";
import { inspectTables, requireReady } from "./schema/opening.ts";
import { SELECT_PARTS } from "./statements.ts";

/**
 * Finds the faults of the tables, in sentences, and says what they are. Changes nothing. It reads
 * no pets: the constraints of the table keep out those that the service could not have stored.
 *
 * @throws {StoreUnavailableError} If there are no tables that this release can use, or the role
 * lacks rights.
 */
export async function checkTables(db: StatementQueue): Promise<{ faults: string[]; contents: string }> {
  const { version, isReadOnly } = await inspectTables(db);
  const rows = await db.query(SELECT_PARTS, [`"${db.schema}"`]);
  // With the setting `quote_all_identifiers`, PostgreSQL quotes every name, also that of a type.
  const parts = rows.map(([part]) => part?.replaceAll('"', ""));
  const missing = REQUIRED_PARTS.filter((part) => !parts.includes(part));
  if (missing.length === 0 && !isReadOnly) await requireReady(db);
  const advice = "restore it from a backup, or as petstore schema shows it";
  return {
    faults: missing.map((part) => `The schema ${db.schema} lacks ${part}; ${advice}`),
    contents: `schema version ${version}${isReadOnly ? ", for reading only" : ""}`,
  };
}

/**
 * The parts that the schema must have, as {@link SELECT_PARTS} describes them. A column whose type
 * ends with `?` may be null. A crash empties a table without a write-ahead log.
 */
const REQUIRED_PARTS = [
  "column schema_version.version integer",
  "write-ahead log for schema_version",
  "column pets.id bigint",
  "column pets.category_id bigint",
  "column pets.status smallint",
  "column pets.name text",
  "write-ahead log for pets",
  "CHECK (((id > 0) AND (id <= '9007199254740991'::bigint))) on pets",
  "CHECK ((status = ANY (ARRAY[0, 1, 2]))) on pets",
  "CHECK (((length(name) > 0) AND (length(name) <= 255))) on pets",
  "unique index on pets (id)",
  "index on pets (status, id)",
  "column requests.key text",
  "column requests.fingerprint text",
  "column requests.pet_id bigint",
  "column requests.expires_at bigint",
  "write-ahead log for requests",
  "unique index on requests (key)",
  "index on requests (expires_at)",
  "column api_keys.id text",
  "column api_keys.digest text",
  "column api_keys.label text",
  "column api_keys.caller text",
  "column api_keys.read_only boolean",
  "column api_keys.created_at bigint",
  "column api_keys.expires_at bigint?",
  "column api_keys.revoked_at bigint?",
  "column api_keys.position bigint always",
  "write-ahead log for api_keys",
  "unique index on api_keys (id)",
  "unique index on api_keys (digest)",
  "sequence pet_ids in steps of 1",
  "function add_pets",
  "function check_ids",
  "function forget_requests",
];
