/** Finds out which tables a database has, and makes them ready for a store. */

import { StoreUnavailableError } from "@petstore/petstore/store";
import type { StatementQueue } from "../client/statement_queue.ts";
import { SELECT_STATE } from "../statements.ts";
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
  // A role may have another level of isolation by default. Then the transaction would not see what
  // another server, for which it has waited, has just made. Both statements are one message, and so
  // one transaction.
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
 * @throws {StoreUnavailableError} If there are none, or they cannot be used.
 */
export async function inspectTables(db: StatementQueue): Promise<Inspection> {
  const inspection = await inspect(db);
  if (inspection.version > 0) return inspection;
  throw new StoreUnavailableError(`The schema ${db.schema} does not exist, or has no tables`);
}

/**
 * Finds out which version of the tables there is, and changes nothing. The tables of another
 * program have no version, and the attempt to make those of the petstore beside them fails as a
 * whole if a name is taken.
 *
 * @throws {StoreUnavailableError} If the tables are of a later release, or the database is not in
 * UTF-8.
 */
async function inspect(db: StatementQueue): Promise<Inspection> {
  const table = `"${db.schema}".schema_version`;
  const [[encoding, readOnly, found] = []] = await db.query(SELECT_STATE, [table]);
  if (encoding !== "UTF8") {
    throw new StoreUnavailableError(`The database has the encoding ${encoding}, but names need UTF8`);
  }
  const rows = found === null ? [] : await db.query(`SELECT version FROM ${table}`);
  const version = Number(rows[0]?.[0] ?? 0);
  if (version > MIGRATIONS.length) {
    throw new StoreUnavailableError(
      `The schema ${db.schema} has version ${version}, but this release supports versions up to ${MIGRATIONS.length}; ` +
        "use the later release that created it",
    );
  }
  return { version, isReadOnly: readOnly === "on" };
}
