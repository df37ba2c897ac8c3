import type { KeyStore, StoredKey } from "@petstore/petstore/store";
import { keyOfRow } from "@petstore/petstore/store/toolkit";
import type { StatementQueue } from "./client/statement_queue.ts";
import type { Parameter } from "./client/connection.ts";
import { qualify } from "./qualify.ts";

/** Keeps API keys in a table of PostgreSQL. */
export function postgresKeys(db: StatementQueue): KeyStore {
  const statements = keyStatements(`"${db.schema}".api_keys`);
  /** Runs a statement that changes keys, and returns whether it has done so. */
  async function change(statement: string, parameters: Parameter[]): Promise<boolean> {
    return (await db.query(statement, parameters, { whatItStores: "change of the keys" })).length > 0;
  }
  async function list(): Promise<StoredKey[]> {
    return (await db.query(statements.all)).map(([row]) => keyOfRow(JSON.parse(row!)));
  }
  return {
    list,
    async listSince(knownVersion) {
      // The version is read before the keys: if they change in between, the next call reads them again.
      const [[version] = []] = await db.query(statements.version);
      return version === knownVersion ? { version } : { version: String(version), keys: await list() };
    },
    async add(key, replaced) {
      const added = parametersOf(key);
      if (!replaced) return await change(statements.add, added);
      return await change(statements.replace, [...added, replaced.id, timeOf(replaced.expires)]);
    },
    revoke: (id, at) => change(statements.revoke, [id, timeOf(at)]),
  };
}

/** The first parameters of the statements that add a key, in the order of {@link NEW_KEY}. */
function parametersOf({ id, digest, label, caller, readOnly, created, expires }: StoredKey): Parameter[] {
  return [id, digest, label, caller, String(readOnly), timeOf(created), timeOf(expires)];
}

/** The columns that a new key fills, and the parameters with their values. */
const NEW_KEY = {
  columns: "id, digest, label, caller, read_only, created_at, expires_at",
  values: "$1::text, $2::text, $3::text, $4::text, $5::boolean, $6::bigint, $7::bigint",
};

/** The statements of the keys. A statement that changes keys returns the id of the added or revoked one, and no row if there is none. */
function keyStatements(table: string) {
  return {
    all: qualify(`SELECT row_to_json(key)::text FROM ${table} AS key ORDER BY key.position`),
    // A change of a row changes its xmin, even if another program makes it.
    version: qualify(`SELECT concat(count(*), ' ', sum(xmin::text::bigint)) FROM ${table}`),
    add: qualify(`WITH added AS (
        INSERT INTO ${table} (${NEW_KEY.columns}) VALUES (${NEW_KEY.values}) ON CONFLICT DO NOTHING RETURNING id)
      SELECT id, ${DURABLE} FROM added`),
    // $8 is the id of the key that is replaced, and $9 its new expiry.
    replace: qualify(`WITH replaced AS (
        SELECT id FROM ${table} WHERE id = $8::text AND revoked_at IS NULL FOR UPDATE),
      added AS (
        INSERT INTO ${table} (${NEW_KEY.columns}) SELECT ${NEW_KEY.values} WHERE EXISTS (SELECT FROM replaced)
        ON CONFLICT DO NOTHING RETURNING id),
      expired AS (
        UPDATE ${table} SET expires_at = LEAST(expires_at, $9::bigint) WHERE id = $8::text AND EXISTS (SELECT FROM added))
      SELECT id, ${DURABLE} FROM added`),
    revoke: qualify(`WITH revoked AS (
        UPDATE ${table} SET revoked_at = COALESCE(revoked_at, $2::bigint) WHERE id = $1::text RETURNING id)
      SELECT id, ${DURABLE} FROM revoked`),
  };
}

/**
 * The SQL expression that makes a commit wait for the disk even if the setting of the role is "off", because what is acknowledged must
 * survive a crash. A statement has it as a column.
 */
const DURABLE = `CASE WHEN current_setting('synchronous_commit') = 'off'
    THEN set_config('synchronous_commit', 'on', true) END`;

/** In milliseconds since 1970. */
function timeOf(date: Date | undefined): Parameter {
  return date ? String(date.getTime()) : null;
}
