/** The first keys of the advisory locks. The second key identifies the schema or the table. */
export const LOCKS = { migrating: 1_886_680_168, writing: 1_886_680_169, forgetting: 1_886_680_170 };

/**
 * The search path of the functions, by which names refer to PostgreSQL's own objects, and never to
 * a temporary object before them.
 */
export const SAFE_PATH = "pg_catalog, pg_temp";

/**
 * Returns the SQL that makes the functions of a schema. After a release, a function keeps the type
 * of its result: `CREATE OR REPLACE` cannot change it, and servers of both releases call it.
 */
export function createFunctions(schema: string): string {
  const all = [createCheckIds, createAddPets, createForgetRequests];
  return all.map((create) => create(schema)).join("\n");
}

/**
 * `check_ids` detects a table that was restored without its sequence, where each create would fail
 * and use up an id. It also detects a sequence of which connections take several ids at once: a
 * later pet would then get a smaller id, and a reader who follows the list would miss it.
 */
function createCheckIds(schema: string): string {
  return `    CREATE OR REPLACE FUNCTION ${schema}.check_ids() RETURNS text LANGUAGE plpgsql SET search_path = ${SAFE_PATH} AS $check_ids$
    DECLARE
      next_id bigint;
      last_id bigint;
    BEGIN
      IF EXISTS (SELECT FROM pg_sequence WHERE seqrelid = '${schema}.pet_ids'::regclass
          AND (seqcache <> 1 OR seqincrement <> 1 OR seqcycle OR seqmax > ${Number.MAX_SAFE_INTEGER})) THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE =
          'The sequence ${schema}.pet_ids was altered, and would not give ids in order; '
          'correct it with ALTER SEQUENCE ${schema}.pet_ids INCREMENT 1 CACHE 1 NO CYCLE MAXVALUE ${Number.MAX_SAFE_INTEGER}';
      END IF;
      -- The table first: at a start, other servers may add pets between the two reads.
      EXECUTE 'SELECT id FROM ${schema}.pets ORDER BY id DESC LIMIT 1' INTO last_id;
      SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END INTO next_id FROM ${schema}.pet_ids;
      IF next_id > ${Number.MAX_SAFE_INTEGER} THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE =
          'The sequence ${schema}.pet_ids has given its last id, ${Number.MAX_SAFE_INTEGER}, so no pet can be added';
      END IF;
      IF last_id >= next_id THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format(
          'The sequence ${schema}.pet_ids is behind its table: the next id would be %s, but there is a pet %s; '
          'correct it with SELECT setval(''${schema}.pet_ids'', %s)', next_id, last_id, last_id);
      END IF;
      RETURN next_id;
    END
    $check_ids$;`;
}

/**
 * `add_pets` adds pets, and returns a row for each, in their order. The outcome is `created` with a
 * new id, `replayed` with the id of the remembered pet, or `conflict` without an id if the key was
 * used for another pet. It adds all new pets or fails, and then none.
 *
 * It is a function, so that no slow client holds its lock. The queries that search a table run by
 * EXECUTE, because a plan that was made for a small table would scan a large one.
 */
function createAddPets(schema: string): string {
  return `    -- The first pets belong to the keys. Retentions are in milliseconds.
    CREATE OR REPLACE FUNCTION ${schema}.add_pets(names text[], categories bigint[], statuses smallint[],
      keys text[], fingerprints text[], retentions bigint[]) RETURNS TABLE (outcome text, id bigint)
    LANGUAGE plpgsql SET search_path = ${SAFE_PATH} SET lock_timeout = '3s' AS $add_pets$
    DECLARE
      keyed integer := cardinality(keys);
      this_moment bigint;
      -- The id of each pet if it is new, else null.
      new_ids bigint[] := '{}';
      -- The id of the remembered pet for each key, or null.
      known_ids bigint[] := '{}';
      added bigint[];
      stored integer;
    BEGIN
      -- 1. Make the commit wait for the disk, even if the setting of this role is "off": an acknowledged pet must survive a crash.
      IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
      END IF;

      -- 2. Keep all other calls out until the commit of this one is visible: ids might become visible out of order.
      PERFORM pg_advisory_xact_lock(${LOCKS.writing}, '${schema}.pets'::regclass::oid::integer);
      PERFORM ${schema}.check_ids();

      -- 3. Give an id to each new pet, and find the ids of the pets of remembered requests. Whether a request has expired is told by the
      -- clock of the database, because those of the servers may differ.
      this_moment := extract(epoch FROM clock_timestamp()) * 1000;
      IF keyed > 0 THEN
        EXECUTE $find$${findOrNumber(schema)}$find$ INTO new_ids, known_ids USING keys, fingerprints, this_moment;
      END IF;
      new_ids := new_ids || ARRAY(SELECT nextval('${schema}.pet_ids') FROM generate_series(keyed + 1, cardinality(names)));
      added := array_remove(new_ids, NULL);

      -- 4. Store the new pets, and their requests. An expired request with the same key is replaced.
      INSERT INTO ${schema}.pets (id, category_id, status, name)
        SELECT * FROM unnest(new_ids, categories, statuses, names) AS pet (new_id) WHERE new_id IS NOT NULL;
      IF keyed > 0 THEN
        INSERT INTO ${schema}.requests (key, fingerprint, pet_id, expires_at)
          SELECT key, fingerprint, new_id, this_moment + retention
          FROM unnest(keys, fingerprints, new_ids[1:keyed], retentions) AS request (key, fingerprint, new_id, retention)
          WHERE new_id IS NOT NULL
          ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, pet_id = excluded.pet_id,
            expires_at = excluded.expires_at;
        GET DIAGNOSTICS stored = ROW_COUNT;
        IF stored <> cardinality(array_remove(new_ids[1:keyed], NULL)) THEN
          RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = 'Not every key is in ${schema}.requests; is there a trigger or a rule of another program?';
        END IF;
      END IF;

      -- 5. See that the pets are there. A trigger or a rule of another program may ignore or delete a row, also as late as at the commit.
      SET CONSTRAINTS ALL IMMEDIATE;
      EXECUTE 'SELECT count(*) FROM ${schema}.pets WHERE id = ANY ($1)' INTO stored USING added;
      IF stored <> cardinality(added) THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
          MESSAGE = 'Not every pet is in ${schema}.pets; is there a trigger or a rule of another program?';
      END IF;

      -- 6. Write something if nothing is new, because only then the commit waits for a synchronous standby. The standby must have an earlier
      -- pet that is told again, and a probe must show that it is there.
      IF cardinality(added) = 0 THEN
        PERFORM pg_logical_emit_message(true, 'petstore', '');
      END IF;
      RETURN QUERY
        SELECT CASE WHEN new_id IS NOT NULL THEN 'created' WHEN known_id IS NOT NULL THEN 'replayed' ELSE 'conflict' END,
          coalesce(new_id, known_id)
        FROM unnest(new_ids, known_ids) AS pet (new_id, known_id);
    END
    $add_pets$;`;
}

/**
 * Makes the query that gives `new_ids` and `known_ids` for the pets that have a key, in the order
 * of the keys. A pet has neither id if the remembered request has another fingerprint. `LIMIT 1`
 * within `LATERAL` forces one look-up in the index for each key.
 */
function findOrNumber(schema: string): string {
  return `SELECT
          array_agg(CASE WHEN is_known THEN NULL ELSE nextval('${schema}.pet_ids') END),
          array_agg(CASE WHEN is_known AND is_same THEN pet_id END)
        FROM (
          SELECT known.expires_at > $3 AS is_known, known.fingerprint = request.fingerprint AS is_same, known.pet_id
          FROM unnest($1, $2) WITH ORDINALITY AS request (key, fingerprint, position)
          LEFT JOIN LATERAL (
            SELECT fingerprint, pet_id, expires_at FROM ${schema}.requests WHERE key = request.key LIMIT 1
          ) AS known ON true
          ORDER BY request.position
        ) AS found`;
}

/**
 * `forget_requests` deletes expired requests, oldest first, except keys in use. During a long
 * transaction, deleted rows stay, so the search starts where the last call ended. The subqueries
 * and the row comparison keep the planner from sorting all rows.
 */
function createForgetRequests(schema: string): string {
  return `    CREATE OR REPLACE FUNCTION ${schema}.forget_requests(at_most integer) RETURNS text
    LANGUAGE plpgsql SET search_path = ${SAFE_PATH} SET lock_timeout = '20ms' AS $forget_requests$
    DECLARE
      this_moment bigint := extract(epoch FROM clock_timestamp()) * 1000;
      since bigint;
      forgotten integer;
    BEGIN
      -- Only one server deletes at a time.
      IF NOT pg_try_advisory_xact_lock(${LOCKS.forgetting}, '${schema}.requests'::regclass::oid::integer) THEN
        RETURN 0;
      END IF;
      -- The commit need not wait for the disk: what a crash undoes is deleted again.
      PERFORM set_config('synchronous_commit', 'off', true);
      -- If the clock of the server was put back, the search starts from the beginning.
      SELECT CASE WHEN last_value <= this_moment THEN last_value ELSE 0 END INTO since FROM ${schema}.forgotten_until;
      EXECUTE 'SELECT expires_at FROM ${schema}.requests WHERE expires_at >= $1 ORDER BY expires_at LIMIT 1'
        INTO since USING since;
      IF since > this_moment OR since IS NULL THEN
        RETURN 0;
      END IF;
      PERFORM setval('${schema}.forgotten_until', since);
      EXECUTE $forget$DELETE FROM ${schema}.requests WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${schema}.requests WHERE expires_at >= (SELECT $1) AND (expires_at, 0) <= ((SELECT $2), 0)
        ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED))$forget$ USING since, this_moment, at_most;
      GET DIAGNOSTICS forgotten = ROW_COUNT;
      RETURN forgotten;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      -- SKIP LOCKED waits all the same for a row that is updated twice meanwhile: a deadlock, if that create waits for another one.
      RETURN 0;
    END
    $forget_requests$;`;
}
