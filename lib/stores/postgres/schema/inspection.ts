/** Inspects a schema before anything is changed. */

import { StoreUnavailableError } from "../../store.ts";
import { textArray } from "../client/arrays.ts";
import type { Database } from "../client/client.ts";
import type { Row } from "../client/driver.ts";
import { sqlState } from "../client/errors.ts";
import { FUNCTIONS } from "./functions.ts";
import { KEY_FUNCTIONS } from "./key_functions.ts";

/** The relations of every schema version, besides `schema_version`. */
const PARTS = ["pets", "requests", "pet_ids"];

/** What the role of a server needs. */
export const PRIVILEGES: readonly (readonly [kind: string, name: string, rights: readonly string[]])[] = [
  ["table", "schema_version", ["SELECT"]],
  ["table", "pets", ["SELECT", "INSERT"]],
  ["table", "requests", ["SELECT", "INSERT", "UPDATE", "DELETE"]],
  ["table", "imports", ["SELECT", "INSERT"]],
  ["table", "api_keys", ["SELECT", "INSERT", "UPDATE"]],
  ["sequence", "pet_ids", ["SELECT", "USAGE"]],
  ["sequence", "forgotten_until", ["SELECT", "UPDATE"]],
  ...[...FUNCTIONS, ...KEY_FUNCTIONS].map((signature) => ["function", signature, ["EXECUTE"]] as const),
];

const SETTINGS = `SELECT pg_catalog.current_setting('server_encoding'),
  pg_catalog.current_setting('transaction_read_only')`;

/** The names of those relations that a schema has. The catalogue is readable by every role. */
const RELATIONS = `SELECT rel.relname::pg_catalog.text
  FROM pg_catalog.pg_class AS rel
  JOIN pg_catalog.pg_namespace AS space ON space.oid OPERATOR(pg_catalog.=) rel.relnamespace
  WHERE space.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name
    AND rel.relname OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.name[])`;

export interface Inspection {
  /** The version of the tables; 0 if the schema has no tables. */
  version: number;
  isReadOnly: boolean;
}

/**
 * Reads the state of a schema without changing it.
 *
 * @throws {StoreUnavailableError} If it is damaged or belongs to another program, or if the database is not in UTF-8.
 */
export async function inspect(db: Database, schema: string): Promise<Inspection> {
  const [[encoding, readOnly] = []] = await db.query(SETTINGS);
  if (encoding !== "UTF8") {
    throw new StoreUnavailableError(`The database has the encoding ${encoding}, but names need UTF8`);
  }
  const names = textArray(["schema_version", ...PARTS]);
  const relations = (await db.query(RELATIONS, [schema, names])).map(([name]) => String(name));
  return { version: await findVersion(db, schema, relations), isReadOnly: readOnly === "on" };
}

async function findVersion(db: Database, schema: string, relations: readonly string[]): Promise<number> {
  if (relations.length === 0) return 0;
  if (!relations.includes("schema_version")) {
    throw schemaError(`The schema ${schema} has a relation ${relations[0]} of another program`);
  }
  const missing = PARTS.filter((name) => !relations.includes(name));
  if (missing.length > 0) {
    throw schemaError(`The schema ${schema} has a table schema_version, but lacks ${missing.join(", ")}`);
  }
  const rows = await explainErrors(schema, db.query(`SELECT version::pg_catalog.text FROM "${schema}".schema_version`));
  const version = Number(rows[0]?.[0]);
  if (rows.length === 1 && version >= 1) return version;
  const contents = rows.length === 1 ? `the version ${version}` : rows.length === 0 ? "no row" : `${rows.length} rows`;
  throw schemaError(
    `The table schema_version of the schema ${schema} has ${contents}, but it must have one row, with a version of 1 or more`,
  );
}

function schemaError(problem: string): StoreUnavailableError {
  return new StoreUnavailableError(`${problem}; it was left unchanged, so use another schema or restore this one`);
}

/**
 * Checks that the role has all privileges that a server needs, so that the start fails and not the first create.
 *
 * @throws {StoreUnavailableError} If it lacks privileges, or if the sequence of ids is behind its table.
 */
export async function requireReady(db: Database, schema: string): Promise<void> {
  const rows = await explainErrors(schema, db.query(lackingPrivileges(schema)));
  if (rows.length > 0) throw privilegeError(schema, rows.map(([privilege]) => privilege).join(", "));
  await db.query(`SELECT "${schema}".check_ids()`);
}

function lackingPrivileges(schema: string): string {
  const rows = PRIVILEGES.flatMap(([kind, name, rights]) =>
    rights.map((right) =>
      `('${right} on ${name.replace(/\(.*/, "")}', pg_catalog.has_${kind}_privilege('"${schema}".${name}', '${right}'))`
    )
  );
  return `SELECT what FROM (VALUES ${rows.join(", ")}) AS wanted (what, is_given) WHERE NOT is_given`;
}

async function explainErrors(schema: string, query: Promise<Row[]>): Promise<Row[]> {
  try {
    return await query;
  } catch (error) {
    const { cause } = error as Error;
    throw sqlState(cause) === "42501" ? privilegeError(schema, (cause as Error).message, cause) : error;
  }
}

function privilegeError(schema: string, privileges: string, cause?: unknown): StoreUnavailableError {
  return new StoreUnavailableError(
    `The role lacks privileges in the schema ${schema} (${privileges}); have its owner apply the SQL of postgresGrants()`,
    { cause },
  );
}
