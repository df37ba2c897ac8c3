import { DEFAULT_SCHEMA, requireSchemaName } from "../options.ts";
import { createFunctions, LOCKS, SAFE_PATH } from "./functions.ts";

/**
 * The SQL that creates or migrates the tables, for an administrator. It can be run repeatedly, and
 * several times at once. The role that runs it owns the tables.
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
 * Entry n leads from version n of the schema to version n + 1. A published entry must not change.
 * The functions are not among them, because the SQL makes them anew each time.
 */
export const MIGRATIONS: readonly ((schema: string) => string)[] = [createTables];

function createTables(schema: string): string {
  return `    CREATE SEQUENCE ${schema}.pet_ids MAXVALUE ${Number.MAX_SAFE_INTEGER};
    CREATE TABLE ${schema}.pets (
      id bigint PRIMARY KEY CHECK (id > 0 AND id <= ${Number.MAX_SAFE_INTEGER}),
      category_id bigint NOT NULL,
      status smallint NOT NULL CHECK (status IN (0, 1, 2)),
      name text NOT NULL CHECK (length(name) > 0 AND length(name) <= 255)
    );
    CREATE INDEX pets_by_status ON ${schema}.pets (status, id);
    -- Remembered requests. expires_at is in milliseconds since 1970.
    CREATE TABLE ${schema}.requests (
      key text COLLATE "C" PRIMARY KEY,
      fingerprint text NOT NULL,
      pet_id bigint NOT NULL,
      expires_at bigint NOT NULL
    );
    CREATE INDEX requests_by_expiry ON ${schema}.requests (expires_at);
    -- All requests that expired before this moment have been deleted. It is a sequence, because each update of a row
    -- would leave a dead row.
    CREATE SEQUENCE ${schema}.forgotten_until MINVALUE 0 START 0;
    CREATE TABLE ${schema}.api_keys (
      id text COLLATE "C" PRIMARY KEY,
      digest text COLLATE "C" NOT NULL UNIQUE,
      label text NOT NULL,
      caller text NOT NULL,
      read_only boolean NOT NULL,
      created_at bigint NOT NULL,
      expires_at bigint,
      revoked_at bigint,
      position bigint GENERATED ALWAYS AS IDENTITY
    );`;
}
