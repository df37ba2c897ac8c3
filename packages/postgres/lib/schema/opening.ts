/** Finds out which tables a database has, and makes them ready for a store. */

import { StoreUnavailableError } from "@petstore/petstore/store";
import type { StatementQueue } from "../client/statement_queue.ts";
import { requirePrivileges } from "./privileges.ts";
import { MIGRATIONS, postgresSchema } from "./schema.ts";

/**
 * Creates or migrates the tables if necessary, and checks that the role may use them.
 *
 * @returns Whether this has made the tables.
 * @throws {StoreUnavailableError} If the tables cannot be used.
 */
export async function openTables(db: StatementQueue): Promise<boolean> {
  const { version, isReadOnly } = await inspect(db);
  if (version < MIGRATIONS.length) await migrate(db, isReadOnly);
  // A standby, or a role that is read-only by default, can still serve reads.
  if (!isReadOnly) await requireReady(db);
  return version === 0;
}

/** Checks the role's privileges and the sequence of ids, so that the start fails and not the first create. */
export async function requireReady(db: StatementQueue): Promise<void> {
  await requirePrivileges(db);
  await db.query(`SELECT "${db.schema}".check_ids()`);
}

async function migrate(db: StatementQueue, isReadOnly: boolean): Promise<void> {
  if (isReadOnly) {
    throw new StoreUnavailableError(
      `The schema ${db.schema} must be created or migrated, but this database or role is read-only; ` +
        "start a server on the primary first",
    );
  }
  // A role may have another level of isolation by default. Then the transaction would not see what another server, for which it has
  // waited, has just made. Both statements are one message, and so one transaction.
  await db.query(`SET TRANSACTION ISOLATION LEVEL READ COMMITTED; ${postgresSchema(db.schema)}`);
}

/** What a schema has. */
export interface Inspection {
  /** The version of the tables; 0 if the schema has none. */
  version: number;
  /** Whether the database is a standby, or the role is read-only. */
  isReadOnly: boolean;
}

/**
 * Inspects tables that must be there, and changes nothing.
 *
 * @throws {StoreUnavailableError} As {@link inspect}, or if there are no tables.
 */
export async function inspectTables(db: StatementQueue): Promise<Inspection> {
  const inspection = await inspect(db);
  if (inspection.version > 0) return inspection;
  throw new StoreUnavailableError(`The schema ${db.schema} does not exist, or has no tables`);
}

/** The tables and the sequence by which a schema is recognized. */
const RELATIONS = ["schema_version", "pets", "requests", "pet_ids"];

/**
 * Finds out which version of the tables there is, and changes nothing.
 *
 * @throws {StoreUnavailableError} If the schema is damaged, of another program or a later release, or not in UTF-8.
 */
export async function inspect(db: StatementQueue): Promise<Inspection> {
  const [[encoding, readOnly, names] = []] = await db.query(SELECT_STATE, [db.schema, `{${RELATIONS}}`]);
  if (encoding !== "UTF8") {
    throw new StoreUnavailableError(`The database has the encoding ${encoding}, but names need UTF8`);
  }
  const isReadOnly = readOnly === "on";
  const found = names?.split(",") ?? [];
  if (found.length === 0) return { version: 0, isReadOnly };
  const missing = RELATIONS.filter((name) => !found.includes(name));
  if (missing.length > 0) {
    throw notOurs(db, `lacks ${missing.join(", ")}, so another program has made it, or it is damaged`);
  }
  const version = await readVersion(db);
  if (version > MIGRATIONS.length) {
    throw new StoreUnavailableError(
      `The schema ${db.schema} has version ${version}, but this release supports versions up to ${MIGRATIONS.length}; ` +
        "use the later release that created it",
    );
  }
  return { version, isReadOnly };
}

/**
 * Reads the encoding, whether this session can only read, and which relations there are, or null if there are none. Parameters: the schema,
 * the relations.
 */
const SELECT_STATE =
  `SELECT pg_catalog.current_setting('server_encoding'), pg_catalog.current_setting('transaction_read_only'),
  (SELECT pg_catalog.string_agg(rel.relname::pg_catalog.text, ',') FROM pg_catalog.pg_class AS rel
    JOIN pg_catalog.pg_namespace AS space ON space.oid OPERATOR(pg_catalog.=) rel.relnamespace
    WHERE space.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name
      AND rel.relname OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.name[]))`;

async function readVersion(db: StatementQueue): Promise<number> {
  const rows = await db.query(`SELECT version::pg_catalog.text FROM "${db.schema}".schema_version`);
  const version = Number(rows[0]?.[0]);
  if (rows.length === 1 && version >= 1) return version;
  const found = rows.join(" and ") || "none";
  throw notOurs(db, `must have one row in its table schema_version, a version of 1 or more, not ${found}`);
}

function notOurs({ schema }: StatementQueue, problem: string): StoreUnavailableError {
  const advice = "it was left unchanged, so use another schema or restore this one";
  return new StoreUnavailableError(`The schema ${schema} ${problem}; ${advice}`);
}
