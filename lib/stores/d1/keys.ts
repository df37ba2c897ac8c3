/** Keeps API keys in the database of the pets. */

import { chain, type MaybePromise } from "../../maybe_promise.ts";
import { keyOfRow, type KeyRow } from "../key_row.ts";
import type { KeyStore, KeyUse, StoredKey } from "../key_store.ts";
import type { Rows, Statement, Value } from "./database.ts";
import type { Tables } from "./schema.ts";

const COLUMNS = "id, digest, label, caller, read_only, created_at, expires_at";

export const SELECT_KEYS = "SELECT * FROM petstore_keys ORDER BY rowid";

/** Parameters: the columns. */
const INSERT_KEY = `INSERT INTO petstore_keys (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING RETURNING id`;

/** Represents "never". */
const INT64_MAX = 2n ** 63n - 1n;

/**
 * Does nothing unless the new key can be added. Parameters: the expiry, the id of the replaced key; the id and the digest of the new
 * one.
 */
export const EXPIRE_KEY = `UPDATE petstore_keys SET expires_at = min(?, ifnull(expires_at, ${INT64_MAX}))
  WHERE id = ? AND revoked_at IS NULL AND NOT EXISTS (SELECT 1 FROM petstore_keys WHERE id = ? OR digest = ?)`;

/** Does nothing unless the replaced key can be replaced. Parameters: the columns, the id of the replaced key. */
export const INSERT_REPLACING_KEY = `INSERT INTO petstore_keys (${COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?
  WHERE EXISTS (SELECT 1 FROM petstore_keys WHERE id = ? AND revoked_at IS NULL)
  ON CONFLICT DO NOTHING RETURNING id`;

/** The first revocation stays. Parameters: the time, the id. */
export const REVOKE_KEY = "UPDATE petstore_keys SET revoked_at = ifnull(revoked_at, ?) WHERE id = ? RETURNING id";

/** All uses in one parameter, since a statement may have 100. Parameter: a JSON array of [id, time]. */
export const TOUCH_KEYS = `UPDATE petstore_keys SET last_used_at = max(ifnull(last_used_at, 0), used.at)
  FROM (SELECT value ->> 0 AS id, max(value ->> 1) AS at FROM json_each(?) GROUP BY 1) AS used
  WHERE petstore_keys.id = used.id`;

export class D1Keys implements KeyStore {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  list(): MaybePromise<StoredKey[]> {
    return chain(this.#tables.run([SELECT_KEYS]), ([rows]) => (rows as unknown as KeyRow[]).map(keyOfRow));
  }

  add(key: StoredKey, replaced?: { id: string; expires: Date }): MaybePromise<boolean> {
    const { id, digest, label, caller, readOnly, created, expires } = key;
    const values: Value[] = [
      id,
      digest,
      label,
      caller,
      readOnly ? 1 : 0,
      created.getTime(),
      expires?.getTime() ?? null,
    ];
    if (replaced === undefined) return this.#change([INSERT_KEY, ...values]);
    return this.#change(
      [EXPIRE_KEY, replaced.expires.getTime(), replaced.id, id, digest],
      [INSERT_REPLACING_KEY, ...values, replaced.id],
    );
  }

  revoke(id: string, at: Date): MaybePromise<boolean> {
    return this.#change([REVOKE_KEY, at.getTime(), id]);
  }

  touch(uses: readonly KeyUse[]): MaybePromise<void> {
    if (uses.length === 0) return;
    const pairs = uses.map(({ id, at }) => [id, at.getTime()]);
    return chain(this.#tables.run([TOUCH_KEYS, JSON.stringify(pairs)]), () => {});
  }

  /** Whether the last statement has changed a row. */
  #change(...statements: Statement[]): MaybePromise<boolean> {
    return chain(this.#tables.run(...statements), (results: Rows[]) => (results.at(-1)?.length ?? 0) > 0);
  }
}
