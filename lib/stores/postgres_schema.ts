/** The tables of the PostgreSQL store: made, brought up to date, or refused. */

import type { Database } from "./postgres_client.ts";
import { sqlState } from "./postgres_errors.ts";
import { StoreUnavailableError } from "./store.ts";

/** The schema where none is named. */
export const DEFAULT_SCHEMA = "petstore";

/** The first half of our advisory locks; the second says which schema is changed, or which table is written to. */
const MIGRATING = 1_886_680_168, WRITING = 1_886_680_169;

/** What brings a schema from each version to the next. Nothing that has been released may be changed here. */
const MIGRATIONS: readonly ((schema: string) => string)[] = [createTables];

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
DECLARE known integer;
BEGIN
  PERFORM pg_advisory_xact_lock(${MIGRATING}, hashtext('${schema}'));
  IF to_regnamespace('"${schema}"') IS NULL THEN
    CREATE SCHEMA "${schema}";
  END IF;
  IF to_regclass('"${schema}".schema_version') IS NULL THEN
    CREATE TABLE "${schema}".schema_version (version integer NOT NULL);
    INSERT INTO "${schema}".schema_version VALUES (0);
  END IF;
  SELECT version INTO STRICT known FROM "${schema}".schema_version;
${steps.join("\n")}
END
$petstore$;
`;
}

/**
 * What a role needs that is not the owner, as SQL with the role's name in it.
 *
 * @param role The role, as it is written in SQL.
 * @param schema The schema that the tables are in.
 */
export function postgresGrants(role: string, schema: string = DEFAULT_SCHEMA): string {
  requireSchemaName(schema);
  return `GRANT USAGE ON SCHEMA "${schema}" TO ${role};
GRANT SELECT ON "${schema}".schema_version TO ${role};
GRANT SELECT, INSERT ON "${schema}".pets TO ${role};
GRANT SELECT, INSERT, UPDATE, DELETE ON "${schema}".requests TO ${role};
GRANT USAGE ON SEQUENCE "${schema}".pet_ids TO ${role};
`;
}

/**
 * Makes sure that the tables are there, as this release knows them.
 *
 * @throws {StoreUnavailableError} If they are another program's or a newer release's, or cannot be made.
 */
export async function openSchema(db: Database, schema: string): Promise<void> {
  const [found = []] = await db.query(
    "SELECT current_setting('server_encoding'), to_regclass($1)::text, to_regclass($2)::text",
    [`"${schema}".schema_version`, `"${schema}".pets`],
  );
  const [encoding, versions, pets] = found;
  if (encoding !== "UTF8") {
    throw new StoreUnavailableError(`The database has the encoding ${encoding}, but names need UTF8`);
  }
  if (pets !== null && versions === null) {
    throw new StoreUnavailableError(`The schema ${schema} has a table pets of another program; it was left as it is`);
  }
  const version = versions === null ? 0 : await readVersion(db, schema);
  if (version > MIGRATIONS.length) {
    throw new StoreUnavailableError(
      `The schema ${schema} has version ${version}, but this release knows only those up to ${MIGRATIONS.length}; ` +
        "use the newer release that made it",
    );
  }
  if (version < MIGRATIONS.length) await migrate(db, schema);
}

async function readVersion(db: Database, schema: string): Promise<number> {
  const [row] = await db.query(`SELECT version::text FROM "${schema}".schema_version`);
  return Number(row?.[0]);
}

async function migrate(db: Database, schema: string): Promise<void> {
  try {
    await db.script(postgresSchema(schema));
  } catch (error) {
    if (sqlState((error as Error).cause) !== "42501") throw error;
    throw new StoreUnavailableError(
      `The schema ${schema} has to be made or brought up to date, and this role may not do it; ` +
        "have the SQL of postgresSchema() applied by a role that may",
      { cause: error },
    );
  }
}

/**
 * The tables, and the one function that writes to them.
 *
 * Numbers of a sequence become visible in the order of commits, not in their own. So whoever adds pets takes a lock first
 * and holds it until its transaction has become visible: PostgreSQL gives locks back after that. What is numbered under
 * the lock ascends in the order in which it is seen. The lock is taken within a function because each of its statements
 * sees what was committed before it began, and one call is one message: nobody waits for a client that has the lock.
 *
 * A counter in a row would number without gaps, but each batch would leave a dead row behind, and a backup that runs for
 * an hour would make every create look at all of them.
 */
function createTables(schema: string): string {
  return `    CREATE SEQUENCE ${schema}.pet_ids MAXVALUE ${Number.MAX_SAFE_INTEGER};
    CREATE TABLE ${schema}.pets (
      id bigint PRIMARY KEY,
      category_id bigint NOT NULL,
      status smallint NOT NULL CHECK (status IN (0, 1, 2)),
      name text NOT NULL
    );
    CREATE INDEX pets_by_status ON ${schema}.pets (status, id);
    -- Requests that may be sent again; expires_at is in milliseconds since 1970.
    CREATE TABLE ${schema}.requests (
      key text COLLATE "C" PRIMARY KEY,
      fingerprint text NOT NULL,
      pet_id bigint NOT NULL,
      expires_at bigint NOT NULL
    );
    CREATE INDEX requests_by_expiry ON ${schema}.requests (expires_at);
${createFunction(schema)}`;
}

/** Answers with an id for each pet: positive if it was added, negative if it was there, empty if the key was another's. */
function createFunction(schema: string): string {
  return `    -- The first pets are those of the keys. Never a sequential scan: what is planned while a table is empty stays.
    CREATE FUNCTION ${schema}.add_pets(names text[], categories bigint[], statuses smallint[],
      keys text[], fingerprints text[], expiries bigint[], now bigint) RETURNS text
    LANGUAGE plpgsql SET lock_timeout = '3s' SET enable_seqscan = off AS $add_pets$
    DECLARE
      keyed integer := cardinality(keys);
      ids bigint[];
    BEGIN
      -- An acknowledged pet must survive, whatever is set for this role.
      IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
      END IF;
      PERFORM pg_advisory_xact_lock(${WRITING}, '${schema}.pets'::regclass::oid::integer);
      IF keyed > 0 THEN
        ids := ARRAY(
          SELECT CASE WHEN known.key IS NULL THEN nextval('${schema}.pet_ids')
            WHEN known.fingerprint = request.fingerprint THEN -known.pet_id END
          FROM unnest(keys, fingerprints) WITH ORDINALITY AS request (key, fingerprint, position)
          LEFT JOIN ${schema}.requests AS known ON known.key = request.key AND known.expires_at > now
          ORDER BY position);
      END IF;
      ids := ids || ARRAY(SELECT nextval('${schema}.pet_ids') FROM generate_series(keyed + 1, cardinality(names)));
      INSERT INTO ${schema}.pets (id, category_id, status, name)
        SELECT * FROM unnest(ids, categories, statuses, names) AS pet (id) WHERE id > 0;
      IF keyed > 0 THEN
        INSERT INTO ${schema}.requests AS known (key, fingerprint, pet_id, expires_at)
          SELECT * FROM unnest(keys, fingerprints, ids[1:keyed], expiries) AS request (key, fingerprint, id)
          WHERE id > 0
          ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, pet_id = excluded.pet_id,
            expires_at = excluded.expires_at;
        -- Twice as many as may have been added: so those that have expired get fewer, and no call has many to forget.
        DELETE FROM ${schema}.requests WHERE key = ANY (ARRAY(
          SELECT key FROM ${schema}.requests WHERE expires_at <= now ORDER BY expires_at LIMIT 2 * keyed));
      END IF;
      RETURN array_to_string(ids, ',', '');
    END
    $add_pets$;`;
}
