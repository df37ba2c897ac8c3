/** Keeps API keys in a table of an SQL database. The stores on SQLite and on D1 use it, and each brings its own way to run statements. */

import { chain, type MaybePromise } from "../promises.ts";
import { keyOfRow, type KeySnapshot, type KeyStore, type StoredKey } from "./key_store.ts";

/** An integer column turns a number into an integer, although it is bound as a double. */
export type Value = string | number | null;

/** A statement and the values of its parameters. */
export type Statement = readonly [sql: string, ...values: Value[]];

/** The rows of a result, by the names of their columns. */
export type Rows = Record<string, unknown>[];

/** Runs statements in one transaction. */
export type RunStatements = (kind: "read" | "change", ...statements: Statement[]) => MaybePromise<Rows[]>;

const COLUMNS = "id, digest, label, caller, read_only, created_at, expires_at";

/** The time that stands for "never" in the database, so that the earlier of two times is their minimum. */
const INT64_MAX = 2n ** 63n - 1n;

/** No parameter is used twice: Node 22.13 cannot bind that. */
function keyStatements(table: string) {
  return {
    select: `SELECT * FROM ${table} ORDER BY rowid`,
    /** The contents themselves, since another program may change several keys at once. */
    version:
      `SELECT json_group_array(json_array(id, digest, label, caller, read_only, created_at, expires_at, revoked_at))
      AS version FROM ${table}`,
    insert: `INSERT INTO ${table} (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`,
    /**
     * Ends the replaced key, if the new key can be added. Parameters: the expiry and the id of the replaced key; the id
     * and the digest of the new one.
     */
    expire: `UPDATE ${table} SET expires_at = min(?, ifnull(expires_at, ${INT64_MAX}))
      WHERE id = ? AND revoked_at IS NULL AND NOT EXISTS (SELECT 1 FROM ${table} WHERE id = ? OR digest = ?)`,
    /** Does nothing unless the replaced key can be replaced. Parameters: the columns, the id of the replaced key. */
    insertReplacing: `INSERT INTO ${table} (${COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?
      WHERE EXISTS (SELECT 1 FROM ${table} WHERE id = ? AND revoked_at IS NULL) ON CONFLICT DO NOTHING RETURNING id`,
    revoke: `UPDATE ${table} SET revoked_at = ifnull(revoked_at, ?) WHERE id = ? RETURNING id`,
  };
}

/** The keys of rows with {@link KEY_COLUMNS}. */
export function keysOf(rows: Rows): StoredKey[] {
  return rows.map(keyOfRow);
}

/** Keeps API keys in a table of SQLite, or of a database with its SQL. */
export class SqlKeys implements KeyStore {
  readonly #run: RunStatements;
  readonly #sql: ReturnType<typeof keyStatements>;
  readonly #stamp: (() => string) | undefined;
  #known: { stamp: string | undefined; version: string } | undefined;

  /**
   * Makes the key store of a table with {@link KEY_COLUMNS}.
   *
   * @param stamp Returns another text after each commit, at little cost.
   */
  constructor(table: string, run: RunStatements, stamp?: () => string) {
    this.#run = run;
    this.#stamp = stamp;
    this.#sql = keyStatements(table);
  }

  list(): MaybePromise<StoredKey[]> {
    return chain(this.#run("read", [this.#sql.select]), ([rows = []]) => keysOf(rows));
  }

  listSince(last: string): MaybePromise<KeySnapshot> {
    const stamp = this.#stamp?.();
    if (stamp !== undefined && stamp === this.#known?.stamp && last === this.#known.version) return { version: last };
    const { version, select } = this.#sql;
    // Both statements are in one transaction, since each transaction may be a round trip.
    const statements: Statement[] = last === "" ? [[version], [select]] : [[version]];
    return chain(this.#run("read", ...statements), ([versions, rows]) => {
      const version = String(versions?.[0]?.["version"]);
      this.#known = { stamp, version };
      if (version === last) return { version };
      return rows ? { version, keys: keysOf(rows) } : this.listSince("");
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

  #change(...statements: Statement[]): MaybePromise<boolean> {
    return chain(this.#run("change", ...statements), (results) => (results.at(-1)?.length ?? 0) > 0);
  }
}
