/** A schema of version 1, word for word as its release made it, and the requests of its servers. */

export function postgresVersion1(name: string): string {
  const schema = `"${name}"`;
  return `CREATE SCHEMA ${schema};
    CREATE TABLE ${schema}.schema_version (version integer NOT NULL);
    INSERT INTO ${schema}.schema_version VALUES (1);
    CREATE SEQUENCE ${schema}.pet_ids MAXVALUE 9007199254740991;
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
    -- The first pets are those of the keys. Never a sequential scan: what is planned while a table is empty stays.
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
      PERFORM pg_advisory_xact_lock(1886680169, '${schema}.pets'::regclass::oid::integer);
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

/** A create with a key, as a server of version 1 with this clock sends it. */
export function createAsVersion1(schema: string, key: string, now: number): string {
  return `SELECT "${schema}".add_pets('{Rex}'::text[], '{7}'::bigint[], '{2}'::smallint[], '{${key}}'::text[],
    '{${"f".repeat(22)}}'::text[], '{${now + 86_400_000}}'::bigint[], ${now}::bigint)`;
}
