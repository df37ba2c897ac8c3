CREATE SCHEMA petstore;
CREATE FUNCTION petstore.add_pets(names text[], categories bigint[], statuses smallint[], keys text[], fingerprints text[], retentions bigint[]) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '3s'
    AS $_$
    DECLARE
      keyed integer := cardinality(keys);
      this_moment bigint;
      ids bigint[];
    BEGIN
      -- An acknowledged pet must survive, whatever is set for this role.
      IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
      END IF;
      PERFORM pg_advisory_xact_lock(1886680169, '"petstore".pets'::regclass::oid::integer);
      PERFORM "petstore".check_ids();
      -- The database's own clock, and none of the servers': they may differ.
      this_moment := extract(epoch FROM clock_timestamp()) * 1000;
      IF keyed > 0 THEN
        EXECUTE $find$SELECT ARRAY(
          SELECT CASE WHEN known.expires_at > $3
            THEN CASE WHEN known.fingerprint = request.fingerprint THEN -known.pet_id END
            ELSE nextval('"petstore".pet_ids') END
          FROM unnest($1, $2) WITH ORDINALITY AS request (key, fingerprint, position)
          LEFT JOIN LATERAL (
            SELECT fingerprint, pet_id, expires_at FROM "petstore".requests WHERE key = request.key LIMIT 1
          ) AS known ON true
          ORDER BY position)$find$ INTO ids USING keys, fingerprints, this_moment;
      END IF;
      ids := ids || ARRAY(SELECT nextval('"petstore".pet_ids') FROM generate_series(keyed + 1, cardinality(names)));
      INSERT INTO "petstore".pets (id, category_id, status, name)
        SELECT * FROM unnest(ids, categories, statuses, names) AS pet (id) WHERE id > 0;
      IF keyed > 0 THEN
        INSERT INTO "petstore".requests (key, fingerprint, pet_id, expires_at)
          SELECT key, fingerprint, id, this_moment + retention
          FROM unnest(keys, fingerprints, ids[1:keyed], retentions) AS request (key, fingerprint, id, retention)
          WHERE id > 0
          ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, pet_id = excluded.pet_id,
            expires_at = excluded.expires_at;
      END IF;
      RETURN array_to_string(ids, ',', '');
    END
    $_$;
CREATE FUNCTION petstore.add_pets(names text[], categories bigint[], statuses smallint[], keys text[], fingerprints text[], expiries bigint[], now bigint) RETURNS text
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
      SELECT "petstore".add_pets($1, $2, $3, $4, $5, ARRAY(
        SELECT expiry - $7 FROM unnest($6) WITH ORDINALITY AS given (expiry, position) ORDER BY position))
    $_$;
CREATE FUNCTION petstore.check_ids() RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    DECLARE
      next_id bigint;
      last_id bigint;
    BEGIN
      -- In this order: at a start nobody is kept from adding pets in between.
      EXECUTE 'SELECT id FROM "petstore".pets ORDER BY id DESC LIMIT 1' INTO last_id;
      SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END INTO next_id FROM "petstore".pet_ids;
      IF last_id >= next_id THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format(
          'The sequence "petstore".pet_ids is behind its table: it would give the id %s next, and there is a pet %s; '
          'set it by SELECT setval(''"petstore".pet_ids'', %s)', next_id, last_id, last_id);
      END IF;
      RETURN next_id;
    END
    $$;
CREATE FUNCTION petstore.forget_requests(at_most integer) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
    DECLARE
      this_moment bigint := extract(epoch FROM clock_timestamp()) * 1000;
      since bigint;
      part integer;
      forgotten integer := 0;
    BEGIN
      -- One server at a time. It does no harm if a crash undoes it.
      IF NOT pg_try_advisory_xact_lock(1886680170, '"petstore".requests'::regclass::oid::integer) THEN
        RETURN 0;
      END IF;
      PERFORM set_config('synchronous_commit', 'off', true);
      SELECT last_value INTO since FROM "petstore".forgotten_until;
      -- The clock may have been ahead.
      IF since > this_moment THEN
        since := 0;
      END IF;
      WHILE forgotten < at_most LOOP
        EXECUTE 'SELECT expires_at FROM "petstore".requests WHERE expires_at >= $1 ORDER BY expires_at LIMIT 1'
          INTO since USING since;
        EXIT WHEN since > this_moment OR since IS NULL;
        -- What is deleted now counts from the next call on, when it has been committed: a sequence is not rolled back.
        IF forgotten = 0 THEN
          PERFORM setval('"petstore".forgotten_until', since);
        END IF;
        EXECUTE $forget$DELETE FROM "petstore".requests WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM "petstore".requests WHERE expires_at >= (SELECT $1) AND (expires_at, 0) <= ((SELECT $2), 0)
          ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED))$forget$ USING since, this_moment;
        GET DIAGNOSTICS part = ROW_COUNT;
        forgotten := forgotten + part;
        EXIT WHEN part < 100;
      END LOOP;
      RETURN forgotten;
    END
    $_$;
CREATE SEQUENCE petstore.forgotten_until
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;
CREATE SEQUENCE petstore.pet_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 9007199254740991
    CACHE 1;
CREATE TABLE petstore.pets (
    id bigint NOT NULL,
    category_id bigint NOT NULL,
    status smallint NOT NULL,
    name text NOT NULL,
    CONSTRAINT pets_status_check CHECK ((status = ANY (ARRAY[0, 1, 2])))
);
CREATE TABLE petstore.requests (
    key text NOT NULL COLLATE pg_catalog."C",
    fingerprint text NOT NULL,
    pet_id bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE petstore.schema_version (
    version integer NOT NULL
);
INSERT INTO petstore.pets VALUES (1, 7, 0, 'Rex');
INSERT INTO petstore.requests VALUES ('QVybnkqIjokAaSUFOuFHvw', 'eqn-ewwsxqQ4AeT0fuGF3g', 1, 4102444800000);
INSERT INTO petstore.schema_version VALUES (2);
SELECT pg_catalog.setval('petstore.forgotten_until', 0, false);
SELECT pg_catalog.setval('petstore.pet_ids', 1, true);
ALTER TABLE ONLY petstore.pets
    ADD CONSTRAINT pets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY petstore.requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (key);
CREATE INDEX pets_by_status ON petstore.pets USING btree (status, id);
CREATE INDEX requests_by_expiry ON petstore.requests USING btree (expires_at);
