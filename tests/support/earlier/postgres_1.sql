CREATE SCHEMA petstore;
CREATE FUNCTION petstore.add_pets(names text[], categories bigint[], statuses smallint[], keys text[], fingerprints text[], expiries bigint[], now bigint) RETURNS text
    LANGUAGE plpgsql
    SET lock_timeout TO '3s'
    SET enable_seqscan TO 'off'
    AS $$
    DECLARE
      keyed integer := cardinality(keys);
      ids bigint[];
    BEGIN
      -- An acknowledged pet must survive, whatever is set for this role.
      IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
      END IF;
      PERFORM pg_advisory_xact_lock(1886680169, '"petstore".pets'::regclass::oid::integer);
      IF keyed > 0 THEN
        ids := ARRAY(
          SELECT CASE WHEN known.key IS NULL THEN nextval('"petstore".pet_ids')
            WHEN known.fingerprint = request.fingerprint THEN -known.pet_id END
          FROM unnest(keys, fingerprints) WITH ORDINALITY AS request (key, fingerprint, position)
          LEFT JOIN "petstore".requests AS known ON known.key = request.key AND known.expires_at > now
          ORDER BY position);
      END IF;
      ids := ids || ARRAY(SELECT nextval('"petstore".pet_ids') FROM generate_series(keyed + 1, cardinality(names)));
      INSERT INTO "petstore".pets (id, category_id, status, name)
        SELECT * FROM unnest(ids, categories, statuses, names) AS pet (id) WHERE id > 0;
      IF keyed > 0 THEN
        INSERT INTO "petstore".requests AS known (key, fingerprint, pet_id, expires_at)
          SELECT * FROM unnest(keys, fingerprints, ids[1:keyed], expiries) AS request (key, fingerprint, id)
          WHERE id > 0
          ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, pet_id = excluded.pet_id,
            expires_at = excluded.expires_at;
        -- Twice as many as may have been added: so those that have expired get fewer, and no call has many to forget.
        DELETE FROM "petstore".requests WHERE key = ANY (ARRAY(
          SELECT key FROM "petstore".requests WHERE expires_at <= now ORDER BY expires_at LIMIT 2 * keyed));
      END IF;
      RETURN array_to_string(ids, ',', '');
    END
    $$;
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
INSERT INTO petstore.schema_version VALUES (1);
SELECT pg_catalog.setval('petstore.pet_ids', 1, true);
ALTER TABLE ONLY petstore.pets
    ADD CONSTRAINT pets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY petstore.requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (key);
CREATE INDEX pets_by_status ON petstore.pets USING btree (status, id);
CREATE INDEX requests_by_expiry ON petstore.requests USING btree (expires_at);
