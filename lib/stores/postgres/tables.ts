/** What is in the schema of a PostgreSQL store, as the SQL that makes it, version by version. */

import { createFunctions } from "./functions.ts";

/** What brings a schema from each version to the next. Nothing that has been released may be changed here. */
export const MIGRATIONS: readonly ((schema: string) => string)[] = [createTables, addFunctions];

/** Version 1. Its function is not here: version 2 replaces it. */
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
    CREATE INDEX requests_by_expiry ON ${schema}.requests (expires_at);`;
}

/** Version 2: the database's clock decides what has expired, and what has is forgotten apart from creates. */
function addFunctions(schema: string): string {
  return `    -- All requests that expired before this have been forgotten. A sequence, since each change of a row would leave a
    -- dead row behind.
    CREATE SEQUENCE ${schema}.forgotten_until MINVALUE 0 START 0;
    -- Whoever added pets so far goes on without new privileges: to add them, the sequence is read now.
    DECLARE
      holder regrole;
    BEGIN
      FOR holder IN SELECT DISTINCT grantee::regrole FROM pg_class, aclexplode(relacl)
          WHERE oid = '${schema}.pet_ids'::regclass AND privilege_type = 'USAGE' AND grantee <> 0 LOOP
        EXECUTE format('GRANT SELECT ON SEQUENCE ${schema}.pet_ids TO %s', holder);
      END LOOP;
    END;
${createFunctions(schema)}`;
}
