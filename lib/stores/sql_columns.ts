/** The columns of the tables of every SQL store. `petstore check` compares their text, so a published one must not change. */

/** The columns of the pets. AUTOINCREMENT: the id of a deleted last row is not reused. For the status, see `status_code.ts`. */
export const PET_COLUMNS: string = `(
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     name TEXT NOT NULL,
     category_id INTEGER NOT NULL,
     status INTEGER NOT NULL CHECK (status IN (0, 1, 2))
   ) STRICT`;

/** The columns of the remembered requests. `expires_at` is in milliseconds since 1970. */
export const REQUEST_COLUMNS: string = `(
     key TEXT PRIMARY KEY,
     fingerprint TEXT NOT NULL,
     pet_id INTEGER NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID`;

/** The columns of the API keys. Times are in milliseconds since 1970. */
export const KEY_COLUMNS: string = `(
     id TEXT PRIMARY KEY,
     digest TEXT NOT NULL UNIQUE,
     label TEXT NOT NULL,
     caller TEXT NOT NULL,
     read_only INTEGER NOT NULL CHECK (read_only IN (0, 1)),
     created_at INTEGER NOT NULL,
     expires_at INTEGER,
     revoked_at INTEGER
   ) STRICT`;
