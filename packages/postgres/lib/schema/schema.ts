import { StoreUnavailableError } from "@petstore/petstore/store";
import { type Database, DEFAULT_SCHEMA } from "../client/database.ts";
import { sqlState } from "../client/errors.ts";
import { createFunctions, LOCKS, SAFE_PATH } from "./functions.ts";
import { inspect, PRIVILEGES, requireReady } from "./inspection.ts";
import { MIGRATIONS } from "./tables.ts";

/** Checks the name of a schema. It has no capitals and quotes, so that it is the same in every tool. */
export function requireSchemaName(schema: string): void {
  if (/^[a-z_][a-z0-9_]{0,47}$/.test(schema) && !schema.startsWith("pg_")) return;
  throw new TypeError(
    "The schema of a PostgreSQL store must be up to 48 lower-case letters, digits and _, " +
      `not starting with a digit or pg_, such as petstore, not ${JSON.stringify(schema)}`,
  );
}

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
 * The SQL that grants a role the privileges that a server needs, if it does not own the tables. Run it again after each
 * migration.
 *
 * @param role The role as an SQL identifier, quoted if necessary: inserted unchanged.
 * @param schema The schema of the tables. Default: `petstore`.
 * @throws {TypeError} If `schema` is not a valid name.
 */
export function postgresGrants(role: string, schema: string = DEFAULT_SCHEMA): string {
  requireSchemaName(schema);
  const grants = PRIVILEGES.map(([kind, name, rights]) =>
    `GRANT ${rights.join(", ")} ON ${kind.toUpperCase()} "${schema}".${name} TO ${role};\n`
  );
  return `GRANT USAGE ON SCHEMA "${schema}" TO ${role};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA "${schema}" TO ${role};
${grants.join("")}`;
}

/**
 * Creates or migrates the tables if necessary, and checks that the role may use them.
 *
 * @returns Whether this has made the tables.
 */
export async function openTables(db: Database): Promise<boolean> {
  const { version, isReadOnly } = await inspect(db);
  if (version < MIGRATIONS.length) await migrate(db, isReadOnly);
  // A standby, or a role that is read-only by default, can still serve reads.
  if (!isReadOnly) await requireReady(db);
  return version === 0;
}

async function migrate(db: Database, isReadOnly: boolean): Promise<void> {
  const must = `The schema ${db.schema} must be created or migrated, but this`;
  if (isReadOnly) {
    throw new StoreUnavailableError(`${must} database or role is read-only; start a server on the primary first`);
  }
  try {
    // A role may have another level of isolation by default. Then the transaction would not see what another server, for which it has
    // waited, has just made. Both statements are one message, and so one transaction.
    await db.query(`SET TRANSACTION ISOLATION LEVEL READ COMMITTED; ${postgresSchema(db.schema)}`);
  } catch (error) {
    if (sqlState((error as Error).cause) !== "42501") throw error;
    const advice = "have an administrator apply the SQL of postgresSchema() and postgresGrants(), which " +
      "petstore schema shows too";
    throw new StoreUnavailableError(`${must} role lacks the privilege; ${advice}`, { cause: error });
  }
}
