/** The schema of the PostgreSQL store: made, brought up to date, or refused. */

import type { Database } from "./client.ts";
import { sqlState } from "./errors.ts";
import { inspect, requireReady } from "./inspection.ts";
import { FUNCTIONS, LOCKS, SAFE_PATH } from "./functions.ts";
import { MIGRATIONS } from "./tables.ts";
import { StoreUnavailableError } from "../store.ts";

/** The schema where none is named. */
export const DEFAULT_SCHEMA = "petstore";

/** Checks the name of a schema. Without capitals and quotes, so that it is the same in every tool. */
export function requireSchemaName(schema: string): string {
  if (/^[a-z_][a-z0-9_]{0,47}$/.test(schema) && !schema.startsWith("pg_")) return schema;
  throw new TypeError(
    `The schema of a PostgreSQL store must be of small letters, digits and _, such as petstore, not ${
      JSON.stringify(schema)
    }`,
  );
}

/**
 * The SQL that makes the tables or brings them up to date, for a database whose administrator applies it. Whoever runs it
 * becomes the owner; to run it again, or several at once, does no harm.
 *
 * @param schema The schema that the tables are in.
 * @throws {TypeError} If it can be no schema's name.
 */
export function postgresSchema(schema: string = DEFAULT_SCHEMA): string {
  requireSchemaName(schema);
  const steps = MIGRATIONS.map((migration, version) =>
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
  -- From here on every name is PostgreSQL's own, whatever others have made in a schema that they may write to.
  PERFORM pg_catalog.set_config('search_path', '${SAFE_PATH}', true);
  PERFORM pg_advisory_xact_lock(${LOCKS.migrating}, hashtext('${schema}'));
  IF to_regnamespace('"${schema}"') IS NULL THEN
    CREATE SCHEMA "${schema}";
  END IF;
  IF to_regclass('"${schema}".schema_version') IS NULL THEN
    CREATE TABLE "${schema}".schema_version (version integer NOT NULL);
    INSERT INTO "${schema}".schema_version VALUES (known);
  ELSE
    SELECT min(version) INTO known FROM "${schema}".schema_version HAVING count(*) = 1;
    IF known IS NULL OR known < 1 THEN
      RAISE EXCEPTION 'The table "${schema}".schema_version does not hold the version of a petstore';
    END IF;
  END IF;
${steps.join("\n")}
  PERFORM set_config('search_path', path, true);
END
$petstore$;
`;
}

/**
 * What a role needs that is not the owner, as SQL with the role's name in it. To be applied again when the schema has been
 * brought up to date.
 *
 * @param role The role, as it is written in SQL.
 * @param schema The schema that the tables are in.
 */
export function postgresGrants(role: string, schema: string = DEFAULT_SCHEMA): string {
  requireSchemaName(schema);
  const functions = FUNCTIONS.map((signature) => `GRANT EXECUTE ON FUNCTION "${schema}".${signature} TO ${role};\n`);
  return `GRANT USAGE ON SCHEMA "${schema}" TO ${role};
GRANT SELECT ON "${schema}".schema_version TO ${role};
GRANT SELECT, INSERT ON "${schema}".pets TO ${role};
GRANT SELECT, INSERT, UPDATE, DELETE ON "${schema}".requests TO ${role};
GRANT SELECT, USAGE ON SEQUENCE "${schema}".pet_ids TO ${role};
GRANT SELECT, UPDATE ON SEQUENCE "${schema}".forgotten_until TO ${role};
${functions.join("")}`;
}

/**
 * Makes sure that the tables are there, as this release knows them, and that this role can use them.
 *
 * @throws {StoreUnavailableError} If they are another program's or a newer release's, or cannot be made or used.
 */
export async function openSchema(db: Database, schema: string): Promise<void> {
  const { version, isReadOnly } = await inspect(db, schema);
  if (version > MIGRATIONS.length) {
    throw new StoreUnavailableError(
      `The schema ${schema} has version ${version}, but this release knows only those up to ${MIGRATIONS.length}; ` +
        "use the newer release that made it",
    );
  }
  if (version < MIGRATIONS.length) await migrate(db, schema, isReadOnly);
  // A standby, or a role that is set to be read-only, serves reads.
  if (!isReadOnly) await requireReady(db, schema);
}

async function migrate(db: Database, schema: string, isReadOnly: boolean): Promise<void> {
  if (isReadOnly) {
    throw new StoreUnavailableError(
      `The schema ${schema} has to be made or brought up to date, and nothing can be written here; ` +
        "start a server on the primary first",
    );
  }
  try {
    await db.script(postgresSchema(schema));
  } catch (error) {
    if (sqlState((error as Error).cause) !== "42501") throw error;
    throw new StoreUnavailableError(
      `The schema ${schema} has to be made or brought up to date, and this role may not do it; ` +
        "have the SQL of postgresSchema() and postgresGrants() applied by a role that may",
      { cause: error },
    );
  }
}
