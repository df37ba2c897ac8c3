/** Keeps API keys in a table of an SQL database. The stores on SQLite and on D1 use it, and each brings its own way to run statements. */

import { chain, type MaybePromise } from "../promises.ts";
import { keyOfRow, type KeySnapshot, type KeyStore, type StoredKey } from "./key_store.ts";

/** The value of a parameter. A number is bound as a double, and an integer column turns it into an integer. */
export type Value = string | number | null;

/** A statement and the values of its parameters. */
export type Statement = readonly [sql: string, ...values: Value[]];

/** The rows of a result, by the names of their columns. */
export type Rows = Record<string, unknown>[];

/** Runs statements in one transaction, in their order, and returns the rows of each. The `kind` is "read" if none changes anything. */
export type RunStatements = (kind: "read" | "change", ...statements: Statement[]) => MaybePromise<Rows[]>;

/** Keeps API keys in a table of SQLite, or of a database with its SQL. */
export class SqlKeys implements KeyStore {
  readonly #run: RunStatements;
  readonly #sql: KeyStatements;

  /** Makes the key store of a table with {@link KEY_COLUMNS}. */
  constructor(table: string, run: RunStatements) {
    this.#run = run;
    this.#sql = keyStatements(table);
  }

  list(): MaybePromise<StoredKey[]> {
    return chain(this.#run("read", [this.#sql.select]), ([rows = []]) => keysOf(rows));
  }

  listSince(knownVersion: string): MaybePromise<KeySnapshot> {
    // The first call reads all keys at once, since each transaction may be a round trip.
    if (knownVersion === "") return this.#readAll();
    return chain(this.#run("read", [this.#sql.version]), ([versions = []]) => {
      const version = versionOf(versions);
      return version === knownVersion ? { version } : this.#readAll();
    });
  }

  add(key: StoredKey, replaced?: { id: string; expires: Date }): MaybePromise<boolean> {
    const { id, digest, label, caller, readOnly, created, expires } = key;
    const times = [created.getTime(), expires?.getTime() ?? null];
    const values = [id, digest, label, caller, readOnly ? 1 : 0, ...times];
    if (replaced === undefined) return this.#change([this.#sql.insert, ...values]);
    return this.#change(
      [this.#sql.expire, replaced.expires.getTime(), replaced.id, id, digest],
      [this.#sql.insertReplacing, ...values, replaced.id],
    );
  }

  revoke(id: string, at: Date): MaybePromise<boolean> {
    return this.#change([this.#sql.revoke, at.getTime(), id]);
  }

  /** Reads the version and the keys in one transaction, so that the keys are those of the version. */
  #readAll(): MaybePromise<KeySnapshot> {
    return chain(
      this.#run("read", [this.#sql.version], [this.#sql.select]),
      ([versions = [], rows = []]) => ({ version: versionOf(versions), keys: keysOf(rows) }),
    );
  }

  /** Whether the last statement has changed a key: it then returns the key's id. */
  #change(...statements: Statement[]): MaybePromise<boolean> {
    return chain(this.#run("change", ...statements), (results) => (results.at(-1)?.length ?? 0) > 0);
  }
}

function versionOf(versions: Rows): string {
  return String(versions[0]?.["version"]);
}

/** Makes the keys of rows with {@link KEY_COLUMNS}. */
export function keysOf(rows: Rows): StoredKey[] {
  return rows.map(keyOfRow);
}

/** The columns that a new key fills. */
const NEW_KEY_COLUMNS = "id, digest, label, caller, read_only, created_at, expires_at";

/** SQLite's last integer. It stands for the expiry of a key that never expires, so that the earlier of two times is their minimum. */
const NEVER = 2n ** 63n - 1n;

/** The statements for a table of keys. None uses a parameter at two places, because Node 22.13 cannot bind such a parameter. */
interface KeyStatements {
  select: string;
  /** Reads the version. It is the content of all keys, because another program may change several keys at once. */
  version: string;
  insert: string;
  /**
   * Ends the replaced key, if the new key can be added. Parameters: the expiry and the id of the replaced key; the id and the digest of the
   * new one.
   */
  expire: string;
  /** Adds the new key, if the replaced one exists and is not revoked. Parameters: the columns, the id of the replaced key. */
  insertReplacing: string;
  revoke: string;
}

function keyStatements(table: string): KeyStatements {
  return {
    select: `SELECT * FROM ${table} ORDER BY rowid`,
    version:
      `SELECT json_group_array(json_array(id, digest, label, caller, read_only, created_at, expires_at, revoked_at))
      AS version FROM ${table}`,
    insert:
      `INSERT INTO ${table} (${NEW_KEY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`,
    expire: `UPDATE ${table} SET expires_at = min(?, ifnull(expires_at, ${NEVER}))
      WHERE id = ? AND revoked_at IS NULL AND NOT EXISTS (SELECT 1 FROM ${table} WHERE id = ? OR digest = ?)`,
    insertReplacing: `INSERT INTO ${table} (${NEW_KEY_COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?
      WHERE EXISTS (SELECT 1 FROM ${table} WHERE id = ? AND revoked_at IS NULL) ON CONFLICT DO NOTHING RETURNING id`,
    revoke: `UPDATE ${table} SET revoked_at = ifnull(revoked_at, ?) WHERE id = ? RETURNING id`,
  };
}
