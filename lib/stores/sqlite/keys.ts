/** Keeps API keys in the file of the pets, through the connection that reads. */

import type { DatabaseSync } from "node:sqlite";
import { keyOfRow, type KeyRow } from "../key_row.ts";
import type { KeyStore, KeyUse, StoredKey } from "../key_store.ts";
import { asUnavailable } from "./errors.ts";
import { BUSY_TIMEOUT, setBusyTimeout } from "./open.ts";
import { rollback, type SchemaWatch } from "./schema.ts";

const SELECT_KEYS = "SELECT * FROM api_keys ORDER BY rowid";

const INSERT_KEY = `INSERT OR IGNORE INTO api_keys (id, digest, label, caller, read_only, created_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;

/** Represents "never". Node 22.13 cannot bind one parameter twice. */
const INT64_MAX = 2n ** 63n - 1n;

const REPLACE_KEY =
  `UPDATE api_keys SET expires_at = min(?, ifnull(expires_at, ${INT64_MAX})) WHERE id = ? AND revoked_at IS NULL`;

const REVOKE_KEY = "UPDATE api_keys SET revoked_at = ifnull(revoked_at, ?) WHERE id = ?";

const TOUCH_KEY = "UPDATE api_keys SET last_used_at = max(ifnull(last_used_at, 0), ?) WHERE id = ?";

type Value = string | bigint | null;

export class SqliteKeys implements KeyStore {
  readonly #db: DatabaseSync;
  readonly #schema: SchemaWatch;
  readonly #requireInPlace: () => void;

  /** @param requireInPlace Throws if the file was moved or replaced. No server would notice a change then. */
  constructor(db: DatabaseSync, schema: SchemaWatch, requireInPlace: () => void) {
    this.#db = db;
    this.#schema = schema;
    this.#requireInPlace = requireInPlace;
  }

  list(): StoredKey[] {
    return this.#whenInPlace(() => (this.#db.prepare(SELECT_KEYS).all() as unknown as KeyRow[]).map(keyOfRow));
  }

  add(key: StoredKey, replaced?: { id: string; expires: Date }): boolean {
    const { id, digest, label, caller, readOnly, created, expires } = key;
    const values = [id, digest, label, caller, readOnly ? 1n : 0n, timeOf(created), expires ? timeOf(expires) : null];
    return this.#write(
      BUSY_TIMEOUT,
      () =>
        (replaced === undefined || this.#run(REPLACE_KEY, [timeOf(replaced.expires), replaced.id])) &&
        this.#run(INSERT_KEY, values),
    );
  }

  revoke(id: string, at: Date): boolean {
    return this.#write(BUSY_TIMEOUT, () => this.#run(REVOKE_KEY, [timeOf(at), id]));
  }

  touch(uses: readonly KeyUse[]): void {
    // Neither waits for a lock nor for the disk, because this stops the thread.
    this.#write(0, () => uses.map(({ id, at }) => this.#run(TOUCH_KEY, [timeOf(at), id])).length > 0, "NORMAL");
  }

  /** Whether the statement has changed a row. */
  #run(sql: string, values: Value[]): boolean {
    return Number(this.#db.prepare(sql).run(...values).changes) > 0;
  }

  /** @param change Returns false to roll back. */
  #write(busyTimeout: number, change: () => boolean, synchronous = "FULL"): boolean {
    const db = this.#db;
    return this.#whenInPlace(() => {
      db.exec(`PRAGMA busy_timeout = ${busyTimeout}; PRAGMA synchronous = ${synchronous}`);
      try {
        db.exec("BEGIN IMMEDIATE");
        this.#schema.require();
        const isCommitted = change();
        db.exec(isCommitted ? "COMMIT" : "ROLLBACK");
        return isCommitted;
      } catch (error) {
        rollback(db);
        throw error;
      } finally {
        db.exec("PRAGMA synchronous = FULL");
        setBusyTimeout(db, BUSY_TIMEOUT);
      }
    });
  }

  #whenInPlace<T>(act: () => T): T {
    this.#requireInPlace();
    try {
      return act();
    } catch (error) {
      throw asUnavailable(error);
    }
  }
}

function timeOf(date: Date): bigint {
  return BigInt(date.getTime());
}
