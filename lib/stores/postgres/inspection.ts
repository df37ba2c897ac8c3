/** What is found in a database before anything is done to it. */

import type { Database } from "./client.ts";
import type { Row } from "./driver.ts";
import { sqlState } from "./errors.ts";
import { textArray } from "./statements.ts";
import { FUNCTIONS } from "./functions.ts";
import { StoreUnavailableError } from "../store.ts";

/** What a petstore of any version has beside its version. */
const PARTS = ["pets", "requests", "pet_ids"];

/** Of the database: its encoding, and whether nothing can be written. */
const SETTINGS = `SELECT pg_catalog.current_setting('server_encoding'),
  pg_catalog.current_setting('transaction_read_only')`;

/** Those of these names that are in a schema, with their columns. From the catalogue, which every role may read. */
const RELATIONS = `SELECT rel.relname::pg_catalog.text, pg_catalog.array_to_string(ARRAY(
    SELECT pg_catalog.concat(col.attname, ' ', type.typname)
    FROM pg_catalog.pg_attribute AS col
    JOIN pg_catalog.pg_type AS type ON type.oid OPERATOR(pg_catalog.=) col.atttypid
    WHERE col.attrelid OPERATOR(pg_catalog.=) rel.oid AND col.attnum OPERATOR(pg_catalog.>) 0 AND NOT col.attisdropped
    ORDER BY col.attnum), ', ')
  FROM pg_catalog.pg_class AS rel
  JOIN pg_catalog.pg_namespace AS space ON space.oid OPERATOR(pg_catalog.=) rel.relnamespace
  WHERE space.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name
    AND rel.relname OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.name[])`;

/** What a schema is. */
export interface Inspection {
  /** The version of its tables, 0 where there are none. */
  version: number;
  isReadOnly: boolean;
}

/**
 * Looks at a schema and changes nothing.
 *
 * @throws {StoreUnavailableError} If it is another program's, or damaged, or if the database cannot hold every name.
 */
export async function inspect(db: Database, schema: string): Promise<Inspection> {
  const [[encoding, readOnly] = []] = await db.query(SETTINGS);
  if (encoding !== "UTF8") {
    throw new StoreUnavailableError(`The database has the encoding ${encoding}, but names need UTF8`);
  }
  const names = textArray(["schema_version", ...PARTS]);
  const found = new Map(await db.query(RELATIONS, [schema, names]) as [string, string][]);
  return { version: await findVersion(db, schema, found), isReadOnly: readOnly === "on" };
}

async function findVersion(db: Database, schema: string, found: ReadonlyMap<string, string>): Promise<number> {
  const [known] = PARTS.filter((name) => found.has(name));
  const columns = found.get("schema_version");
  if (columns === undefined) {
    if (known === undefined) return 0;
    throw refuse(`The schema ${schema} has a relation ${known} of another program`);
  }
  if (columns !== "version int4") throw refuse(`The schema ${schema} has a table schema_version of another program`);
  const missing = PARTS.filter((name) => !found.has(name));
  if (missing.length > 0) {
    throw refuse(`The schema ${schema} has a table schema_version, but lacks ${missing.join(", ")}`);
  }
  const rows = await orExplain(schema, db.query(`SELECT version::pg_catalog.text FROM "${schema}".schema_version`));
  const version = Number(rows[0]?.[0]);
  if (rows.length === 1 && version >= 1) return version;
  const what = rows.length === 1 ? `the version ${version}` : rows.length === 0 ? "no row" : `${rows.length} rows`;
  throw refuse(`The table schema_version of the schema ${schema} has ${what}, but a petstore's has one row from 1 on`);
}

/** What is somebody else's, or damaged, is theirs to mend. */
function refuse(what: string): StoreUnavailableError {
  return new StoreUnavailableError(`${what}; it was left as it is, so name another schema or restore this one`);
}

/**
 * Makes sure that a role can do all that a server does, so that it fails at its start and not at its first create.
 *
 * @throws {StoreUnavailableError} If it lacks privileges, or the sequence of ids is behind its table.
 */
export async function requireReady(db: Database, schema: string): Promise<void> {
  const rows = await orExplain(schema, db.query(lackingPrivileges(schema)));
  if (rows.length > 0) throw lacks(schema, rows.map(([what]) => what).join(", "));
  await db.query(`SELECT "${schema}".check_ids()`);
}

function lackingPrivileges(schema: string): string {
  const wanted = [
    ...["SELECT", "INSERT"].map((right) => ["table", "pets", right]),
    ...["SELECT", "INSERT", "UPDATE", "DELETE"].map((right) => ["table", "requests", right]),
    ...["SELECT", "USAGE"].map((right) => ["sequence", "pet_ids", right]),
    ...["SELECT", "UPDATE"].map((right) => ["sequence", "forgotten_until", right]),
    ...FUNCTIONS.map((signature) => ["function", signature, "EXECUTE"]),
  ];
  const rows = wanted.map(([kind, name = "", right]) => {
    const what = `${right} on ${name.replace(/\(.*/, "")}`;
    return `('${what}', pg_catalog.has_${kind}_privilege('"${schema}".${name}', '${right}'))`;
  });
  return `SELECT what FROM (VALUES ${rows.join(", ")}) AS wanted (what, is_given) WHERE NOT is_given`;
}

async function orExplain(schema: string, query: Promise<Row[]>): Promise<Row[]> {
  try {
    return await query;
  } catch (error) {
    const { cause } = error as Error;
    throw sqlState(cause) === "42501" ? lacks(schema, (cause as Error).message, error) : error;
  }
}

function lacks(schema: string, what: string, cause?: unknown): StoreUnavailableError {
  return new StoreUnavailableError(
    `The role lacks privileges in the schema ${schema} (${what}); have the SQL of postgresGrants() applied by its owner`,
    { cause },
  );
}
