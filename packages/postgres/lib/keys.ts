import type { KeyStore, StoredKey } from "@petstore/petstore/store";
import { keyOfRow } from "@petstore/petstore/store/toolkit";
import type { StatementQueue } from "./client/statement_queue.ts";
import type { Parameter, Row } from "./client/connection.ts";

/** Keeps API keys in a table of PostgreSQL. */
export function postgresKeys(db: StatementQueue): KeyStore {
  const { add, revoke, version: selectVersion, all } = keyStatements(`"${db.schema}".api_keys`);
  function change(text: string, ...parameters: Parameter[]): Promise<Row[]> {
    return db.query(text, parameters, { whatItStores: "change of the keys" });
  }
  const hasChanged = (rows: Row[]) => rows.length > 0;
  const list = async (): Promise<StoredKey[]> => (await db.query(all)).map(([row]) => keyOfRow(JSON.parse(row!)));
  return {
    list,
    async listSince(knownVersion) {
      // The version is read before the keys: if they change in between, the next call reads them again.
      const [[version] = []] = await db.query(selectVersion);
      return version === knownVersion ? { version } : { version: String(version), keys: await list() };
    },
    async add({ id, digest, label, caller, readOnly, created, expires }, replaced) {
      const key = [id, digest, label, caller, String(readOnly), timeOf(created), timeOf(expires)];
      return hasChanged(await change(add, ...key, replaced?.id ?? null, timeOf(replaced?.expires)));
    },
    revoke: async (id, at) => hasChanged(await change(revoke, id, timeOf(at))),
  };
}

/** The statements of the keys. A statement that changes keys returns the id of the added or revoked one, and no row if there is none. */
function keyStatements(table: string) {
  return {
    all: `SELECT pg_catalog.row_to_json(key)::pg_catalog.text FROM ${table} AS key ORDER BY key.position`,
    // A change of a row changes its xmin, even if another program makes it.
    version: `SELECT pg_catalog.concat(pg_catalog.count(*), ' ', pg_catalog.sum(xmin::pg_catalog.text::bigint))
      FROM ${table}`,
    // $8 is the id of a key to replace, and $9 its new expiry.
    add: `WITH replaced AS (SELECT id FROM ${table} WHERE id OPERATOR(pg_catalog.=) $8::pg_catalog.text
        AND revoked_at IS NULL FOR UPDATE),
      added AS (INSERT INTO ${table} (id, digest, label, caller, read_only, created_at, expires_at)
        SELECT $1::pg_catalog.text, $2::pg_catalog.text, $3::pg_catalog.text, $4::pg_catalog.text, $5::boolean, $6::bigint, $7::bigint
        WHERE $8::pg_catalog.text IS NULL OR EXISTS (SELECT FROM replaced)
        ON CONFLICT DO NOTHING RETURNING id),
      expired AS (UPDATE ${table} SET expires_at = least(expires_at, $9::bigint)
        WHERE id OPERATOR(pg_catalog.=) $8::pg_catalog.text AND EXISTS (SELECT FROM added))
      SELECT id, ${DURABLE} FROM added`,
    revoke: `WITH revoked AS (UPDATE ${table} SET revoked_at = coalesce(revoked_at, $2::bigint)
        WHERE id OPERATOR(pg_catalog.=) $1::pg_catalog.text RETURNING id)
      SELECT id, ${DURABLE} FROM revoked`,
  };
}

/**
 * The SQL expression that makes a commit wait for the disk even if the setting of the role is "off", because what is acknowledged must
 * survive a crash. A statement has it as a column.
 */
const DURABLE = `CASE WHEN pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) 'off'
    THEN pg_catalog.set_config('synchronous_commit', 'on', true) END`;

/** In milliseconds since 1970. */
function timeOf(date: Date | undefined): Parameter {
  return date ? String(date.getTime()) : null;
}
