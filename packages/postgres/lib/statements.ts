/**
 * The statements of the store. Their parameters and columns are text, so that no number is rounded,
 * and none comes as bytes if the app has set `binary` for its pool.
 * They are plain SQL. {@link qualify} makes them safe on a search path of other roles. The tables and
 * the SQL functions are in the folder `schema`.
 */

import { PET_STATUSES, statusCode } from "@petstore/petstore/store/toolkit";

export type ReadStatements = Record<"pet" | "all" | "ofStatus", string>;

/**
 * Makes the statements that read the pets of a schema. Pages take the last id before them, and how
 * many rows they may have.
 */
export function readStatements(schema: string): ReadStatements {
  const pets = `"${schema}".pets`;
  const page = (condition: string, order: string) =>
    // `ORDER BY id` would sort by the first column of the result, which is text.
    qualify(`SELECT id::text, ${PET_JSON} FROM ${pets} AS pet WHERE ${condition} ORDER BY ${order} LIMIT $2::bigint`);
  return {
    pet: qualify(`SELECT ${PET_JSON} FROM ${pets} WHERE id = $1::bigint`),
    all: page("id > $1::bigint", "pet.id"),
    // The rows are compared with the status and the id together. With `status = $3`, the plan might
    // scan the index of ids, which is slow for a rare status.
    ofStatus: page(
      `(status, id) > ($3::smallint, $1::bigint) AND (status, id) <= ($3::smallint, ${2n ** 63n - 1n})`,
      "status, pet.id",
    ),
  };
}

/** The SQL expression for the name of a pet's status. */
const STATUS_NAME = `CASE ${
  PET_STATUSES.map((status) => `WHEN status = ${statusCode(status)} THEN '${status}'`).join(" ")
} END`;

/**
 * The SQL expression for the JSON of a pet, exactly in the format of formatPet().
 * json_build_object() would insert spaces.
 */
const PET_JSON = `concat('{"id":', id, ',"name":', to_json(name), ',"categoryId":', category_id,
  ',"status":"', ${STATUS_NAME}, '"}')`;

/** Adds pets, or imports them. `schema/functions.ts` has the SQL function. */
export function addStatement(schema: string, columns = "outcome, id::text"): string {
  return qualify(`SELECT ${columns}
    FROM "${schema}".add_pets($1::text[], $2::bigint[], $3::smallint[], $4::text[], $5::text[], $6::bigint[])`);
}

/** Deletes expired requests, up to the number that is its parameter. */
export function deleteStatement(schema: string): string {
  return `SELECT "${schema}".forget_requests($1::integer)`;
}

/**
 * Makes the statements of the keys. A statement that changes keys returns a row, or none if there
 * is nothing to change.
 */
export function keyStatements(schema: string): Record<"all" | "version" | "add" | "replace" | "revoke", string> {
  const table = `"${schema}".api_keys`;
  return {
    all: qualify(`SELECT row_to_json(key)::text FROM ${table} AS key ORDER BY key.position`),
    // `xmin` is the transaction that wrote a row last. So each change of a row alters the sum, even
    // if another program makes it.
    version: qualify(`SELECT concat(count(*), ' ', sum(xmin::text::bigint)) FROM ${table}`),
    add: qualify(`INSERT INTO ${table} (${NEW_KEY.columns}) VALUES (${NEW_KEY.values})
      ON CONFLICT DO NOTHING RETURNING ${WAIT_FOR_DISK}`),
    // Locks the old key, unless it is revoked. Then adds the new one. If it could be added, the old
    // key expires. $8 is the id of the old key, and $9 its new expiry.
    replace: qualify(`WITH old AS (
        SELECT id FROM ${table} WHERE id = $8::text AND revoked_at IS NULL FOR UPDATE),
      added AS (
        INSERT INTO ${table} (${NEW_KEY.columns}) SELECT ${NEW_KEY.values} WHERE EXISTS (SELECT FROM old)
        ON CONFLICT DO NOTHING RETURNING id),
      expired AS (
        UPDATE ${table} SET expires_at = LEAST(expires_at, $9::bigint) WHERE id = $8::text AND EXISTS (SELECT FROM added))
      SELECT ${WAIT_FOR_DISK} FROM added`),
    revoke: qualify(`UPDATE ${table} SET revoked_at = COALESCE(revoked_at, $2::bigint) WHERE id = $1::text
      RETURNING ${WAIT_FOR_DISK}`),
  };
}

/** The columns that a new key fills, and the parameters with their values. */
const NEW_KEY = {
  columns: "id, digest, label, caller, read_only, created_at, expires_at",
  values: "$1::text, $2::text, $3::text, $4::text, $5::boolean, $6::bigint, $7::bigint",
};

/**
 * An SQL expression. A statement that returns it waits for the disk at its commit, even if the
 * setting of the role is "off", because what is acknowledged must survive a crash.
 */
const WAIT_FOR_DISK = `CASE WHEN current_setting('synchronous_commit') = 'off'
    THEN set_config('synchronous_commit', 'on', true) END`;

/**
 * Cancels the statement that a process of PostgreSQL runs. Parameters:
 *
 * 1. The number of the process.
 * 2. The text of the statement, of which PostgreSQL may know only the beginning. No other statement
 *    must be cancelled: a pooler shows other processes than those of PostgreSQL, and after a
 *    failover the process may be one of another server.
 * 3. `always`, or another text if the statement may be cancelled only while it waits for a lock.
 */
export const CANCEL = qualify(`SELECT pg_cancel_backend(pid)::text FROM pg_catalog.pg_stat_activity
  WHERE pid = $1::integer AND starts_with($2::text, query) AND (wait_event_type = 'Lock' OR $3::text = 'always')`);

/**
 * Reads the encoding, whether this session can only read, and the table with the version, or null.
 * Parameter: the name of that table.
 */
export const SELECT_STATE = qualify(
  `SELECT current_setting('server_encoding'), current_setting('transaction_read_only'), to_regclass($1::text)::text`,
);

/**
 * Reads from the catalogue which parts the schema has. A partial index does not count as a part.
 * How an index is stored, such as with a `fillfactor`, does not matter.
 */
export const SELECT_PARTS = qualify(`WITH rel AS (SELECT oid, relname, relpersistence FROM pg_catalog.pg_class
    WHERE relnamespace = $1::regnamespace)
  SELECT concat('column ', relname, '.', attname, ' ', format_type(atttypid, atttypmod),
      CASE WHEN NOT attnotnull THEN '?' END, CASE WHEN attidentity = 'a' THEN ' always' END)
    FROM rel JOIN pg_catalog.pg_attribute ON attrelid = rel.oid AND NOT attisdropped
  UNION ALL SELECT concat('write-ahead log for ', relname)
    FROM rel WHERE relpersistence = 'p'
  UNION ALL SELECT concat(pg_get_constraintdef(con.oid), ' on ', relname)
    FROM rel JOIN pg_catalog.pg_constraint AS con ON conrelid = rel.oid
  UNION ALL SELECT concat(CASE WHEN indisunique THEN 'unique ' END, 'index on ', relname, ' ',
      substring(pg_get_indexdef(indexrelid), 'USING "?btree"? ([(][^)]*[)])'))
    FROM rel JOIN pg_catalog.pg_index ON indrelid = rel.oid AND indisvalid AND indpred IS NULL
  UNION ALL SELECT concat('sequence ', relname, ' in steps of ', seqincrement,
      CASE WHEN seqcycle THEN ', again and again' END, CASE WHEN seqcache > 1 THEN ' with a cache' END)
    FROM rel JOIN pg_catalog.pg_sequence ON seqrelid = rel.oid
  UNION ALL SELECT concat('function ', proname) FROM pg_catalog.pg_proc
    WHERE pronamespace = $1::regnamespace`);

/** Names the rights that the role lacks: some of those that are given as SQL, and those on the functions. */
export function missingRightsStatement(schema: string, wanted: string): string {
  return qualify(`SELECT what FROM (VALUES ${wanted}) AS wanted (what, is_given) WHERE NOT is_given
    UNION SELECT concat('EXECUTE on ', proname) FROM pg_catalog.pg_proc
      WHERE pronamespace = '"${schema}"'::regnamespace AND NOT has_function_privilege(oid, 'EXECUTE')`);
}

/**
 * Puts `pg_catalog` before the names of operators, functions and types, which keeps the search path
 * out of the store's SQL. Another role may create an operator, a function or a type in a schema of
 * that path, which matches better than PostgreSQL's own. It would run with the rights of the
 * petstore. A `SET search_path` on the connection is no way out, because the app and a pooler share
 * the connections. The SQL functions of the schema set a path of their own.
 *
 * Statements do without `IN`, `BETWEEN`, `CASE x WHEN`, `JOIN … USING` and multiplication, whose
 * operators are not qualified. `tests/search_path_test.ts` runs the statements on a path full of
 * such objects.
 *
 * - A name directly before a bracket is a function if it is in lower case. Constructs such as
 *   `COALESCE(` are in capitals.
 * - A type follows `::`. Types that are keywords of SQL, such as `bigint`, always mean PostgreSQL's
 *   own.
 * - The `=` of an `UPDATE … SET column =` is no operator.
 */
function qualify(sql: string): string {
  // Texts in quotes stay as they are.
  return sql.replace(/'[^']*'|[^']+/g, (part) => part.startsWith("'") ? part : qualifyNames(part));
}

function qualifyNames(sql: string): string {
  return sql
    .replace(/(?<![\w."])[a-z]\w*\(/g, "pg_catalog.$&")
    .replace(/::(?!bigint|smallint|integer|boolean)/g, "::pg_catalog.")
    .replace(/(?<!SET \w+ )[-+/<>=~!@#%^&|]+/g, "OPERATOR(pg_catalog.$&)");
}
