import { keyOfRow } from "../key_row.ts";
import { type KeyStore, latestUses, type StoredKey } from "../key_store.ts";
import { StoreUnavailableError } from "../store.ts";
import { numberArray, textArray } from "./client/arrays.ts";
import type { Database } from "./client/client.ts";
import { sqlState } from "./client/errors.ts";

/** In milliseconds since 1970. */
const NOW = "(pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000)::bigint";

export function postgresKeys(db: Database): KeyStore {
  async function call(text: string, parameters: string[]): Promise<boolean> {
    const deadline = performance.now() + db.timeoutMs;
    const [[hasChanged] = []] = await db.query(
      `SELECT "${db.schema}".${text}::pg_catalog.text`,
      parameters,
      { deadline },
    );
    return hasChanged === "true";
  }
  async function list(): Promise<StoredKey[]> {
    const rows = await db.query(
      `SELECT pg_catalog.row_to_json(key)::pg_catalog.text FROM "${db.schema}".api_keys AS key ORDER BY key.position`,
    );
    return rows.map(([row]) => keyOfRow(JSON.parse(row!)));
  }
  // A change of a row changes its xmin, even if another program makes it.
  const selectVersion =
    `SELECT pg_catalog.concat(pg_catalog.count(*), ' ', pg_catalog.sum(xmin::pg_catalog.text::bigint))
    FROM "${db.schema}".api_keys`;
  return {
    list,
    async listSince(last) {
      // First, so that a change meanwhile is read again.
      const [[version] = []] = await db.query(selectVersion);
      return version === last ? { version } : { version: String(version), keys: await list() };
    },
    add({ id, digest, label, caller, readOnly, created, expires }, replaced) {
      // An empty array represents an absent time, because parameters are texts.
      const times = [timeArray([created]), timeArray(expires ? [expires] : [])];
      const old = [textArray(replaced ? [replaced.id] : []), timeArray(replaced ? [replaced.expires] : [])];
      // Cast twice, because postgres.js turns the text of a boolean parameter into false.
      return call(
        "add_key($1::pg_catalog.text[], $2::pg_catalog.text::boolean, $3::bigint[], $4::bigint[], $5::pg_catalog.text[], $6::bigint[])",
        [textArray([id, digest, label, caller]), String(readOnly), ...times, ...old],
      );
    },
    revoke: (id, at) => call("revoke_key($1::pg_catalog.text, $2::bigint)", [id, String(at.getTime())]),
    async touch(uses) {
      const latest = latestUses(uses, Infinity);
      const ids = textArray([...latest.keys()]);
      // The clock of the database decides which uses are in the future.
      const forget = `UPDATE "${db.schema}".api_keys SET last_used_at = NULL
        WHERE id OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.text[]) AND last_used_at OPERATOR(pg_catalog.>) ${NOW}`;
      await db.query(forget, [ids], { deadline: performance.now() + db.timeoutMs });
      const upToNow =
        `ARRAY(SELECT least(at, ${NOW}) FROM pg_catalog.unnest($2::bigint[]) WITH ORDINALITY AS use (at, place)
        ORDER BY place)`;
      await call(`touch_keys($1::pg_catalog.text[], ${upToNow})`, [ids, numberArray([...latest.values()])]);
    },
    // No function, because servers have no right to it.
    async remove(ids) {
      const text = `DELETE FROM "${db.schema}".api_keys WHERE id OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.text[])`;
      const limits = { deadline: performance.now() + db.timeoutMs };
      await db.query(text, [textArray(ids)], limits).catch((cause) => {
        if (sqlState((cause as Error).cause) !== "42501") throw cause;
        throw new StoreUnavailableError("The role may not remove keys; use the role that owns the tables", { cause });
      });
    },
  };
}

function timeArray(dates: readonly Date[]): string {
  return numberArray(dates.map((date) => date.getTime()));
}
