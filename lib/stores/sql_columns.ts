/**
 * The columns of tables in SQLite wherever it runs: in a file, D1 or a Durable Object. They are released, so they must not change, not
 * even a space: `petstore check` compares the text.
 */

/** AUTOINCREMENT prevents an id from being reused after the last row was deleted by hand. The status is a number: `status_code.ts`. */
export const PET_COLUMNS = `(
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     name TEXT NOT NULL,
     category_id INTEGER NOT NULL,
     status INTEGER NOT NULL CHECK (status IN (0, 1, 2))
   ) STRICT`;

/** Remembered requests. Times are in milliseconds since 1970. */
export const REQUEST_COLUMNS = `(
     key TEXT PRIMARY KEY,
     fingerprint TEXT NOT NULL,
     pet_id INTEGER NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID`;

export const KEY_COLUMNS = `(
     id TEXT PRIMARY KEY,
     digest TEXT NOT NULL UNIQUE,
     label TEXT NOT NULL,
     caller TEXT NOT NULL,
     read_only INTEGER NOT NULL CHECK (read_only IN (0, 1)),
     created_at INTEGER NOT NULL,
     expires_at INTEGER,
     revoked_at INTEGER,
     last_used_at INTEGER
   ) STRICT`;
