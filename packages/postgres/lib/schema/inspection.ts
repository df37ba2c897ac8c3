import { StoreUnavailableError } from "@petstore/petstore/store";
import type { Database } from "../client/database.ts";
import { textArray } from "../client/arrays.ts";
import type { Row } from "../client/pool.ts";
import { sqlState } from "../client/errors.ts";
import { MIGRATIONS } from "./tables.ts";

/** The tables and the sequence by which a schema is recognized. */
const RELATIONS = ["schema_version", "pets", "requests", "pet_ids"];

/** The rights of a server, besides every function of the schema. */
export const PRIVILEGES: readonly (readonly [kind: string, name: string, rights: readonly string[]])[] = [
  ["table", "schema_version", ["SELECT"]],
  ["table", "pets", ["SELECT", "INSERT"]],
  ["table", "requests", ["SELECT", "INSERT", "UPDATE", "DELETE"]],
  ["table", "api_keys", ["SELECT", "INSERT", "UPDATE"]],
  ["sequence", "pet_ids", ["SELECT", "USAGE"]],
  ["sequence", "forgotten_until", ["SELECT", "UPDATE"]],
];

/** Reads the encoding, whether this session can only read, and which relations there are. Parameters: the schema, the relations. */
const SELECT_STATE =
  `SELECT pg_catalog.current_setting('server_encoding'), pg_catalog.current_setting('transaction_read_only'),
  pg_catalog.array_to_string(ARRAY(SELECT rel.relname::pg_catalog.text FROM pg_catalog.pg_class AS rel
    JOIN pg_catalog.pg_namespace AS space ON space.oid OPERATOR(pg_catalog.=) rel.relnamespace
    WHERE space.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name
      AND rel.relname OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.name[])), ',')`;

export interface Inspection {
  /** The version of the tables; 0 if the schema has none. */
  version: number;
  /** Whether the database is a standby, or the role is read-only. */
  isReadOnly: boolean;
}

/**
 * Finds out which version of the tables there is, and changes nothing.
 *
 * @throws {StoreUnavailableError} If the schema is damaged, of another program or a later release, or not in UTF-8.
 */
export async function inspect(db: Database): Promise<Inspection> {
  const [[encoding, readOnly, names] = []] = await db.query(SELECT_STATE, [db.schema, textArray(RELATIONS)]);
  if (encoding !== "UTF8") {
    throw new StoreUnavailableError(`The database has the encoding ${encoding}, but names need UTF8`);
  }
  const missing = RELATIONS.filter((name) => !names?.split(",").includes(name));
  const version = missing.length === RELATIONS.length ? 0 : await readVersion(db, missing);
  if (version > MIGRATIONS.length) {
    throw new StoreUnavailableError(
      `The schema ${db.schema} has version ${version}, but this release supports versions up to ${MIGRATIONS.length}; ` +
        "use the later release that created it",
    );
  }
  return { version, isReadOnly: readOnly === "on" };
}

async function readVersion(db: Database, missing: readonly string[]): Promise<number> {
  if (missing.length > 0) {
    throw notOurs(db, `lacks ${missing.join(", ")}, so another program has made it, or it is damaged`);
  }
  const rows = await queryAsRole(db, `SELECT version::pg_catalog.text FROM "${db.schema}".schema_version`);
  const version = Number(rows[0]?.[0]);
  if (rows.length === 1 && version >= 1) return version;
  const found = rows.join(" and ") || "none";
  throw notOurs(db, `must have one row in its table schema_version, a version of 1 or more, not ${found}`);
}

function notOurs({ schema }: Database, problem: string): StoreUnavailableError {
  const advice = "it was left unchanged, so use another schema or restore this one";
  return new StoreUnavailableError(`The schema ${schema} ${problem}; ${advice}`);
}

/** Inspects tables that must be there. */
export async function inspectTables(db: Database): Promise<Inspection> {
  const state = await inspect(db);
  if (state.version > 0) return state;
  throw new StoreUnavailableError(`The schema ${db.schema} does not exist, or has no tables`);
}

/** Checks the role's privileges and the sequence of ids, so that the start fails and not the first create. */
export async function requireReady(db: Database): Promise<void> {
  const wanted = PRIVILEGES.flatMap(([kind, name, rights]) =>
    rights.map((right) =>
      `('${right} on ${name}', pg_catalog.has_${kind}_privilege('"${db.schema}".${name}', '${right}'))`
    )
  );
  const lacking = `SELECT what FROM (VALUES ${wanted.join(", ")}) AS wanted (what, is_given) WHERE NOT is_given
    UNION SELECT pg_catalog.concat('EXECUTE on ', proname) FROM pg_catalog.pg_proc
      WHERE pronamespace OPERATOR(pg_catalog.=) '"${db.schema}"'::pg_catalog.regnamespace
        AND NOT pg_catalog.has_function_privilege(oid, 'EXECUTE')`;
  const rows = await queryAsRole(db, lacking);
  if (rows.length > 0) throw privilegeError(db, rows.map(([privilege]) => privilege).join(", "));
  await db.query(`SELECT "${db.schema}".check_ids()`);
}

/** Runs a statement. If the role may not run it, the error says what to do. */
async function queryAsRole(db: Database, text: string): Promise<Row[]> {
  try {
    return await db.query(text);
  } catch (error) {
    const { cause } = error as Error;
    throw sqlState(cause) === "42501" ? privilegeError(db, (cause as Error).message, cause) : error;
  }
}

function privilegeError({ schema }: Database, privileges: string, cause?: unknown): StoreUnavailableError {
  return new StoreUnavailableError(
    `The role lacks privileges in the schema ${schema} (${privileges}); have its owner apply the SQL of ` +
      "postgresGrants(), which petstore schema shows too",
    { cause },
  );
}
