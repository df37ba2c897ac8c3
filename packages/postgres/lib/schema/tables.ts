/**
 * Entry n leads from version n of the schema to version n + 1. A published entry must not change. The functions are not among them, because
 * the SQL makes them anew each time.
 */
export const MIGRATIONS: readonly ((schema: string) => string)[] = [createTables];

function createTables(schema: string): string {
  return `    CREATE SEQUENCE ${schema}.pet_ids MAXVALUE ${Number.MAX_SAFE_INTEGER};
    CREATE TABLE ${schema}.pets (
      id bigint PRIMARY KEY,
      category_id bigint NOT NULL,
      status smallint NOT NULL CHECK (status IN (0, 1, 2)),
      name text NOT NULL
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
