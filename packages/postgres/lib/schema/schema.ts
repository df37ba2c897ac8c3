import { StoreUnavailableError } from "@petstore/petstore/store";
import type { StatementQueue } from "../client/statement_queue.ts";
import { DEFAULT_SCHEMA, requireSchemaName } from "../options.ts";
import { createFunctions, LOCKS, SAFE_PATH } from "./functions.ts";
import { inspect } from "./inspection.ts";
import { requirePrivileges } from "./privileges.ts";
import { MIGRATIONS } from "./tables.ts";

/**
 * The SQL that creates or migrates the tables, for an administrator. It can be run repeatedly, and several times at
 * once. The role that runs it owns the tables.
 *
 * @param schema The schema of the tables. Default: `petstore`.
 * @throws {TypeError} If `schema` is not a valid name.
 */
export function postgresSchema(schema: string = DEFAULT_SCHEMA): string {
  requireSchemaName(schema);
  return migrationSql(schema, MIGRATIONS);
}

/** Makes the SQL of {@link postgresSchema}, with the migrations of this program or, in a test, others. */
export function migrationSql(schema: string, migrations: readonly ((schema: string) => string)[]): string {
  const steps = migrations.map((migration, version) =>
    `  IF known = ${version} THEN
${migration(`"${schema}"`)}
    known := ${version + 1};
    UPDATE "${schema}".schema_version SET version = known;
  END IF;`
  );
  return `DO $petstore$
DECLARE
  path pg_catalog.text := pg_catalog.current_setting('search_path');
  known integer := 0;
BEGIN
  -- From here on, names refer to PostgreSQL's own objects, even if other roles have created some of the same name.
  PERFORM pg_catalog.set_config('search_path', '${SAFE_PATH}', true);
  PERFORM pg_advisory_xact_lock(${LOCKS.migrating}, hashtext('${schema}'));
  IF to_regnamespace('"${schema}"') IS NULL THEN
    CREATE SCHEMA "${schema}";
  END IF;
  IF to_regclass('"${schema}".schema_version') IS NULL THEN
    -- Without a key, it could not be updated in a database whose tables are all replicated logically.
    CREATE TABLE "${schema}".schema_version (version integer PRIMARY KEY);
    INSERT INTO "${schema}".schema_version VALUES (known);
  ELSE
    SELECT min(version) INTO known FROM "${schema}".schema_version HAVING count(*) = 1;
    IF known IS NULL OR known < 1 THEN
      RAISE EXCEPTION 'The table "${schema}".schema_version does not hold the version of a petstore';
    END IF;
  END IF;
${steps.join("\n")}
  IF known = ${migrations.length} THEN
${createFunctions(`"${schema}"`)}
  END IF;
  PERFORM set_config('search_path', path, true);
END
$petstore$;
`;
}

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
