/** Keeps API keys in PostgreSQL, where every server of the database sees them. */

import { keyOfRow } from "../key_row.ts";
import { type KeyStore, type KeyUse, latestUses, type StoredKey } from "../key_store.ts";
import { numberArray, textArray } from "./client/arrays.ts";
import type { Database } from "./client/client.ts";

export class PostgresKeys implements KeyStore {
  readonly #db: Database;
  readonly #schema: string;

  constructor(db: Database, schema: string) {
    this.#db = db;
    this.#schema = `"${schema}"`;
  }

  async list(): Promise<StoredKey[]> {
    const rows = await this.#db.query(
      `SELECT pg_catalog.row_to_json(key)::pg_catalog.text FROM ${this.#schema}.api_keys AS key ORDER BY key.position`,
    );
    return rows.map(([row]) => keyOfRow(JSON.parse(row!)));
  }

  async add(key: StoredKey, replaced?: { id: string; expires: Date }): Promise<boolean> {
    const { id, digest, label, caller, readOnly, created, expires } = key;
    // Times may be absent. An empty array represents that, because parameters are texts.
    const times = [numberArray([timeOf(created)]), numberArray(expires ? [timeOf(expires)] : [])];
    const old = [textArray(replaced ? [replaced.id] : []), numberArray(replaced ? [timeOf(replaced.expires)] : [])];
    // Twice a cast, because postgres.js turns the text of a boolean parameter into false.
    return await this.#call(
      "add_key($1::pg_catalog.text[], $2::pg_catalog.text::boolean, $3::bigint[], $4::bigint[], $5::pg_catalog.text[], $6::bigint[])",
      [textArray([id, digest, label, caller]), String(readOnly), ...times, ...old],
    );
  }

  async revoke(id: string, at: Date): Promise<boolean> {
    return await this.#call("revoke_key($1::pg_catalog.text, $2::bigint)", [id, String(timeOf(at))]);
  }

  async touch(uses: readonly KeyUse[]): Promise<void> {
    const latest = latestUses(uses);
    await this.#call("touch_keys($1::pg_catalog.text[], $2::bigint[])", [
      textArray(latest.map(({ id }) => id)),
      numberArray(latest.map(({ at }) => timeOf(at))),
    ]);
  }

  /** Calls a function that returns whether it has changed a row. */
  async #call(call: string, parameters: string[]): Promise<boolean> {
    const deadline = performance.now() + this.#db.timeoutMs;
    const [[hasChanged] = []] = await this.#db.query(
      `SELECT ${this.#schema}.${call}::pg_catalog.text`,
      parameters,
      { deadline },
    );
    return hasChanged === "true";
  }
}

function timeOf(date: Date): number {
  return date.getTime();
}
