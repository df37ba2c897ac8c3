/** The functions of a PostgreSQL store, as the SQL that makes them. */

/** The first half of our advisory locks; the second says which schema is changed, or which table is written to. */
export const LOCKS = { migrating: 1_886_680_168, writing: 1_886_680_169, forgetting: 1_886_680_170 };

/** The functions that a server calls, with their parameters. */
export const FUNCTIONS = [
  "add_pets(pg_catalog.text[], bigint[], smallint[], pg_catalog.text[], pg_catalog.text[], bigint[])",
  "check_ids()",
  "forget_requests(integer)",
];

/** Names mean PostgreSQL's own in our functions, whatever others have made where they may: what is temporary comes last. */
export const SAFE_PATH = "pg_catalog, pg_temp";

/** All of them. */
export function createFunctions(schema: string): string {
  return [createCheckIds, createAddPets, createOldAddPets, createForgetRequests].map((create) => create(schema)).join(
    "\n",
  );
}

/** What a restored table without its sequence would lead to is said before it does: each attempt would use up ids. */
function createCheckIds(schema: string): string {
  return `    CREATE FUNCTION ${schema}.check_ids() RETURNS text LANGUAGE plpgsql SET search_path = ${SAFE_PATH} AS $check_ids$
    DECLARE
      next_id bigint;
      last_id bigint;
    BEGIN
      -- In this order: at a start nobody is kept from adding pets in between.
      EXECUTE 'SELECT id FROM ${schema}.pets ORDER BY id DESC LIMIT 1' INTO last_id;
      SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END INTO next_id FROM ${schema}.pet_ids;
      IF last_id >= next_id THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format(
          'The sequence ${schema}.pet_ids is behind its table: it would give the id %s next, and there is a pet %s; '
          'set it by SELECT setval(''${schema}.pet_ids'', %s)', next_id, last_id, last_id);
      END IF;
      RETURN next_id;
    END
    $check_ids$;`;
}

/**
 * The one function that writes pets. It answers with an id for each: positive if it was added, negative if it was there,
 * empty if the key was another's.
 *
 * Numbers of a sequence become visible in the order of commits, not in their own. So whoever adds pets takes a lock first
 * and holds it until its transaction has become visible: PostgreSQL gives locks back after that. What is numbered under
 * the lock ascends in the order in which it is seen. The lock is taken within a function because each of its statements
 * sees what was committed before it began, and one call is one message: nobody waits for a client that has the lock.
 *
 * A counter in a row would number without gaps, but each batch would leave a dead row behind, and a backup that runs for
 * an hour would make every create look at all of them.
 *
 * What reads a table is planned at each call, by EXECUTE: a plan that was made while the table was small, and kept, would
 * go through all of it later.
 */
function createAddPets(schema: string): string {
  return `    -- The first pets are those of the keys. Retentions are in milliseconds.
    CREATE FUNCTION ${schema}.add_pets(names text[], categories bigint[], statuses smallint[],
      keys text[], fingerprints text[], retentions bigint[]) RETURNS text
    LANGUAGE plpgsql SET search_path = ${SAFE_PATH} SET lock_timeout = '3s' AS $add_pets$
    DECLARE
      keyed integer := cardinality(keys);
      this_moment bigint;
      ids bigint[];
    BEGIN
      -- An acknowledged pet must survive, whatever is set for this role.
      IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
      END IF;
      PERFORM pg_advisory_xact_lock(${LOCKS.writing}, '${schema}.pets'::regclass::oid::integer);
      PERFORM ${schema}.check_ids();
      -- The database's own clock, and none of the servers': they may differ.
      this_moment := extract(epoch FROM clock_timestamp()) * 1000;
      IF keyed > 0 THEN
        EXECUTE $find$${findOrNumber(schema)}$find$ INTO ids USING keys, fingerprints, this_moment;
      END IF;
      ids := ids || ARRAY(SELECT nextval('${schema}.pet_ids') FROM generate_series(keyed + 1, cardinality(names)));
      INSERT INTO ${schema}.pets (id, category_id, status, name)
        SELECT * FROM unnest(ids, categories, statuses, names) AS pet (id) WHERE id > 0;
      IF keyed > 0 THEN
        INSERT INTO ${schema}.requests (key, fingerprint, pet_id, expires_at)
          SELECT key, fingerprint, id, this_moment + retention
          FROM unnest(keys, fingerprints, ids[1:keyed], retentions) AS request (key, fingerprint, id, retention)
          WHERE id > 0
          ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, pet_id = excluded.pet_id,
            expires_at = excluded.expires_at;
      END IF;
      RETURN array_to_string(ids, ',', '');
    END
    $add_pets$;`;
}

/**
 * An id for each of the keys, fingerprints: the next, or that of the pet that was made, or none.
 *
 * LIMIT 1 within LATERAL leaves the planner nothing but one look for each key, whatever its statistics say: joined as
 * tables, it has compared each key with each of 20 million rows. As long as the table has a few pages, that look is at all
 * of them.
 */
function findOrNumber(schema: string): string {
  return `SELECT ARRAY(
          SELECT CASE WHEN known.expires_at > $3
            THEN CASE WHEN known.fingerprint = request.fingerprint THEN -known.pet_id END
            ELSE nextval('${schema}.pet_ids') END
          FROM unnest($1, $2) WITH ORDINALITY AS request (key, fingerprint, position)
          LEFT JOIN LATERAL (
            SELECT fingerprint, pet_id, expires_at FROM ${schema}.requests WHERE key = request.key LIMIT 1
          ) AS known ON true
          ORDER BY position)`;
}

/** What servers of version 1 go on to call, that run while the schema is brought up to date. */
function createOldAddPets(schema: string): string {
  return `    -- Called by servers of the release before. Of their clock only the difference counts.
    CREATE OR REPLACE FUNCTION ${schema}.add_pets(names text[], categories bigint[], statuses smallint[],
      keys text[], fingerprints text[], expiries bigint[], now bigint) RETURNS text
    LANGUAGE sql SET search_path = ${SAFE_PATH} AS $old_add_pets$
      SELECT ${schema}.add_pets($1, $2, $3, $4, $5, ARRAY(
        SELECT expiry - $7 FROM unnest($6) WITH ORDINALITY AS given (expiry, position) ORDER BY position))
    $old_add_pets$;`;
}

/**
 * Forgets requests that have expired, the oldest first, and answers with their number.
 *
 * While a backup runs, or anything else that looks at the past, what is deleted stays in the table and in its indexes. So
 * it is not begun at the lowest expiry, which would mean to walk over all of that at every call, but where the last call
 * began: before that, nothing is left. For requests are committed in the order in which they expire, as long as all are
 * remembered for the same time. Otherwise one could be left that was remembered for less time than its commit took; it
 * has expired, and takes up room.
 */
function createForgetRequests(schema: string): string {
  return `    CREATE FUNCTION ${schema}.forget_requests(at_most integer) RETURNS text
    LANGUAGE plpgsql SET search_path = ${SAFE_PATH} AS $forget_requests$
    DECLARE
      this_moment bigint := extract(epoch FROM clock_timestamp()) * 1000;
      since bigint;
      part integer;
      forgotten integer := 0;
    BEGIN
      -- One server at a time. It does no harm if a crash undoes it.
      IF NOT pg_try_advisory_xact_lock(${LOCKS.forgetting}, '${schema}.requests'::regclass::oid::integer) THEN
        RETURN 0;
      END IF;
      PERFORM set_config('synchronous_commit', 'off', true);
      SELECT last_value INTO since FROM ${schema}.forgotten_until;
      -- The clock may have been ahead.
      IF since > this_moment THEN
        since := 0;
      END IF;
      WHILE forgotten < at_most LOOP
        EXECUTE 'SELECT expires_at FROM ${schema}.requests WHERE expires_at >= $1 ORDER BY expires_at LIMIT 1'
          INTO since USING since;
        EXIT WHEN since > this_moment OR since IS NULL;
        -- What is deleted now counts from the next call on, when it has been committed: a sequence is not rolled back.
        IF forgotten = 0 THEN
          PERFORM setval('${schema}.forgotten_until', since);
        END IF;
        EXECUTE $forget$${deletePart(schema)}$forget$ USING since, this_moment;
        GET DIAGNOSTICS part = ROW_COUNT;
        forgotten := forgotten + part;
        EXIT WHEN part < 100;
      END LOOP;
      RETURN forgotten;
    END
    $forget_requests$;`;
}

/**
 * Deletes a part of what expired from one moment to another. A key that is just used again is left alone, rather than
 * waited for.
 *
 * It has to be read in the order of the index and no further than the part, though the planner would rather fetch and sort
 * all that has expired where its statistics say that this is little. So the bounds are hidden from it in subqueries, and
 * the second in a row, which is no range for it: then it expects a ninth of the table, whatever it knows.
 */
function deletePart(schema: string): string {
  return `DELETE FROM ${schema}.requests WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM ${schema}.requests WHERE expires_at >= (SELECT $1) AND (expires_at, 0) <= ((SELECT $2), 0)
          ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED))`;
}
