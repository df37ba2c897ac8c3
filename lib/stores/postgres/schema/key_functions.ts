/** The functions that change API keys. Each is one call, and so one transaction. */

import { SAFE_PATH } from "./functions.ts";

/** A change must survive a crash, even if the setting of this role is "off". */
const DURABLE = `IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
      END IF;`;

export function createKeyFunctions(schema: string): string {
  return `    -- The texts are id, digest, label and caller. Times are in milliseconds since 1970.
    CREATE OR REPLACE FUNCTION ${schema}.add_key(texts text[], is_read_only boolean, made bigint[], expiry bigint[],
      replaced text[], replaced_expiry bigint[]) RETURNS boolean
    LANGUAGE plpgsql SET search_path = ${SAFE_PATH} AS $add_key$
    BEGIN
      ${DURABLE}
      IF cardinality(replaced) > 0 THEN
        PERFORM FROM ${schema}.api_keys WHERE id = replaced[1] AND revoked_at IS NULL FOR UPDATE;
        IF NOT FOUND THEN
          RETURN false;
        END IF;
      END IF;
      INSERT INTO ${schema}.api_keys (id, digest, label, caller, read_only, created_at, expires_at)
        VALUES (texts[1], texts[2], texts[3], texts[4], is_read_only, made[1], expiry[1])
        ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN
        RETURN false;
      END IF;
      UPDATE ${schema}.api_keys SET expires_at = least(expires_at, replaced_expiry[1]) WHERE id = replaced[1];
      RETURN true;
    END
    $add_key$;
    CREATE OR REPLACE FUNCTION ${schema}.revoke_key(key_id text, moment bigint) RETURNS boolean
    LANGUAGE plpgsql SET search_path = ${SAFE_PATH} AS $revoke_key$
    BEGIN
      ${DURABLE}
      UPDATE ${schema}.api_keys SET revoked_at = coalesce(revoked_at, moment) WHERE id = key_id;
      RETURN FOUND;
    END
    $revoke_key$;
    CREATE OR REPLACE FUNCTION ${schema}.touch_keys(ids text[], moments bigint[]) RETURNS boolean
    LANGUAGE plpgsql SET search_path = ${SAFE_PATH} SET lock_timeout = '1s' AS $touch_keys$
    BEGIN
      PERFORM set_config('synchronous_commit', 'off', true);
      -- In order, so that two servers do not wait for each other.
      PERFORM FROM ${schema}.api_keys WHERE id = ANY (ids) ORDER BY id FOR UPDATE;
      UPDATE ${schema}.api_keys AS key SET last_used_at = greatest(key.last_used_at, used.moment)
        FROM unnest(ids, moments) AS used (id, moment) WHERE key.id = used.id;
      RETURN FOUND;
    END
    $touch_keys$;`;
}
