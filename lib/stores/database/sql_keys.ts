/**
 * Keeps API keys in a table of an SQL database. The stores on SQLite and on D1 use it, and each
 * brings its own way to run statements.
 */

import { chain, type MaybePromise } from "../../promises.ts";
import type { KeySnapshot, KeyStore, StoredKey } from "../key_store.ts";
import { keyOfRow } from "./sql_tables.ts";

/** The value of a parameter. A number is bound as a double, and an integer column turns it into an integer. */
export type Value = string | number | null;

/** A statement and the values of its parameters. */
export type Statement = readonly [sql: string, ...values: Value[]];

/** The rows of a result, by the names of their columns. */
export type Rows = Record<string, unknown>[];

/**
 * Runs statements in one transaction, in their order, and returns the rows of each. The `kind` is
 * "read" if none changes anything.
 */
export type RunStatements = (kind: "read" | "change", ...statements: Statement[]) => MaybePromise<Rows[]>;

/** The columns that a new key fills. */
const NEW_KEY_COLUMNS = "id, digest, label, caller, read_only, created_at, expires_at";

/**
 * SQLite's last integer. It stands for the expiry of a key that never expires, so that the earlier
 * of two times is their minimum.
 */
const NEVER = 2n ** 63n - 1n;

/**
 * Keeps API keys in a table of SQLite, or of a database with its SQL. No statement uses a parameter
 * at two places, because Node 22.13 cannot bind such a parameter.
 */
export class SqlKeys implements KeyStore {
  readonly #table: string;
  readonly #run: RunStatements;
  readonly #selectAll: Statement;
  /** Reads the version. It is the content of all keys, because another program may change several keys at once. */
  readonly #selectVersion: Statement;

  /** Makes the key store of a table with {@link KEY_COLUMNS}. */
  constructor(table: string, run: RunStatements) {
    this.#table = table;
    this.#run = run;
    this.#selectAll = selectKeys(table);
    this.#selectVersion = [
      `SELECT json_group_array(json_array(${NEW_KEY_COLUMNS}, revoked_at)) AS version FROM ${table}`,
    ];
  }

  list(): MaybePromise<StoredKey[]> {
    return chain(this.#run("read", this.#selectAll), ([rows = []]) => rows.map(keyOfRow));
  }

  listSince(knownVersion: string): MaybePromise<KeySnapshot> {
    // The first call reads all keys at once, since each transaction may be a round trip.
    if (knownVersion === "") return this.#readAll();
    return chain(this.#run("read", this.#selectVersion), ([versions = []]) => {
      const version = versionOf(versions);
      return version === knownVersion ? { version } : this.#readAll();
    });
  }

  /** Reads the version and the keys in one transaction, so that the keys are those of the version. */
  #readAll(): MaybePromise<KeySnapshot> {
    return chain(
      this.#run("read", this.#selectVersion, this.#selectAll),
      ([versions = [], rows = []]) => ({ version: versionOf(versions), keys: rows.map(keyOfRow) }),
    );
  }

  add(key: StoredKey, replaced?: { id: string; expires: Date }): MaybePromise<boolean> {
    const { id, digest, label, caller, readOnly, created, expires } = key;
    const values = [id, digest, label, caller, readOnly ? 1 : 0, created.getTime(), expires?.getTime() ?? null];
    const insert = `INSERT INTO ${this.#table} (${NEW_KEY_COLUMNS})`;
    const unlessKnown = "ON CONFLICT DO NOTHING RETURNING id";
    if (replaced === undefined) {
      return this.#change([`${insert} VALUES (?, ?, ?, ?, ?, ?, ?) ${unlessKnown}`, ...values]);
    }
    return this.#change(
      // The replaced key ends only if the new one can be added.
      [
        `UPDATE ${this.#table} SET expires_at = min(?, ifnull(expires_at, ${NEVER}))
          WHERE id = ? AND revoked_at IS NULL AND NOT EXISTS (SELECT 1 FROM ${this.#table} WHERE id = ? OR digest = ?)`,
        replaced.expires.getTime(),
        replaced.id,
        id,
        digest,
      ],
      // The new key is added only if the replaced one exists and is not revoked.
      [
        `${insert} SELECT ?, ?, ?, ?, ?, ?, ?
          WHERE EXISTS (SELECT 1 FROM ${this.#table} WHERE id = ? AND revoked_at IS NULL) ${unlessKnown}`,
        ...values,
        replaced.id,
      ],
    );
  }

  revoke(id: string, at: Date): MaybePromise<boolean> {
    return this.#change([
      `UPDATE ${this.#table} SET revoked_at = ifnull(revoked_at, ?) WHERE id = ? RETURNING id`,
      at.getTime(),
      id,
    ]);
  }

  /** Whether the last statement has changed a key: it then returns the key's id. */
  #change(...statements: Statement[]): MaybePromise<boolean> {
    return chain(this.#run("change", ...statements), (results) => (results.at(-1)?.length ?? 0) > 0);
  }
}

/** Selects every key, in the order in which they were added. `keyOfRow()` reads the rows. */
export function selectKeys(table: string): Statement {
  return [`SELECT * FROM ${table} ORDER BY rowid`];
}

function versionOf(versions: Rows): string {
  return String(versions[0]?.["version"]);
}
