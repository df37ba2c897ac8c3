import { StoreUnavailableError } from "../../store.ts";
import { Database, DEFAULT_SCHEMA, type PostgresClientMaker, type PostgresStoreOptions } from "../client/client.ts";
import type { PostgresClient } from "../client/driver.ts";
import { sqlState } from "../client/errors.ts";
import { EARLIER_MARK } from "../../earlier_requests.ts";
import { createFunctions, LOCKS, NOW, SAFE_PATH } from "./functions.ts";
import { inspect, PRIVILEGES, requireReady } from "./inspection.ts";
import { MIGRATIONS } from "./tables.ts";

/** No capitals and quotes, so that the name is the same in every tool. */
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
  -- From here on, names refer to PostgreSQL's own objects, even if other roles have created some of the same name.
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
  -- The releases that told callers apart by the API key. Servers of these releases may continue for a day.
  IF known = 1 OR known = 2 THEN
    INSERT INTO "${schema}".requests (key, fingerprint, pet_id, expires_at)
      SELECT '${EARLIER_MARK}', '', 0,
        86400000 + greatest(max(expires_at), 86400000 + extract(epoch FROM clock_timestamp()) * 1000)
      FROM "${schema}".requests
      ON CONFLICT (key) DO NOTHING;
  END IF;
${steps.join("\n")}
  -- Those of an earlier release too, so that the functions do not depend on the release that has made the tables.
  IF known = ${MIGRATIONS.length} THEN
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

/** Creates or migrates the tables if necessary, and checks that the role may use them. */
export async function openDatabase(
  source: PostgresClient | PostgresClientMaker,
  options: PostgresStoreOptions,
): Promise<Database> {
  const db = new Database(source, options);
  try {
    const { version, isReadOnly } = await inspect(db);
    if (version < MIGRATIONS.length) await migrate(db, isReadOnly);
    db.isNew = version === 0;
    // A standby, or a role that is read-only by default, can still serve reads.
    if (!isReadOnly) await requireReady(db);
    // In milliseconds, by the clock of the database, until the last request of an earlier release expires.
    const untilMark = `SELECT (expires_at OPERATOR(pg_catalog.-) ${NOW})::pg_catalog.text FROM "${db.schema}".requests
      WHERE key OPERATOR(pg_catalog.=) '${EARLIER_MARK}'::pg_catalog.text`;
    const [[remaining] = []] = await db.query(untilMark).catch((error) => {
      // A role that only reads needs no right to the requests.
      if (isReadOnly && sqlState((error as Error).cause) === "42501") return [["Infinity"]];
      throw error;
    });
    db.earlierUntil = performance.now() + Number(remaining ?? 0);
    return db;
  } catch (error) {
    await db.release();
    throw error;
  }
}

async function migrate(db: Database, isReadOnly: boolean): Promise<void> {
  const must = `The schema ${db.schema} must be created or migrated, but this`;
  if (isReadOnly) {
    throw new StoreUnavailableError(`${must} database or role is read-only; start a server on the primary first`);
  }
  try {
    await db.query(postgresSchema(db.schema), null);
  } catch (error) {
    if (sqlState((error as Error).cause) !== "42501") throw error;
    const advice = "have an administrator apply the SQL of postgresSchema() and postgresGrants(), which " +
      "petstore serve --print-schema shows too";
    throw new StoreUnavailableError(`${must} role lacks the privilege; ${advice}`, { cause: error });
  }
}
