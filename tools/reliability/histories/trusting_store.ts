/** A control: a store with a defect that histories must find. */

import postgres from "postgres";
import { petArrays } from "../../../packages/postgres/lib/commit.ts";
import { statementsFor } from "../../../packages/postgres/lib/statements.ts";
import { pageOf } from "../../../lib/stores/page.ts";
import { statusCode } from "../../../lib/stores/status_code.ts";
import { type PetStore, StoreUnavailableError } from "../../../lib/stores/store.ts";
import { TIMEOUT } from "./plan.ts";

const TOO_LONG = new Error("PostgreSQL did not answer");

/** Takes the rows of postgres.js as they come: 3.4.9 keeps those of a result that was cut, and the next result follows them. */
export function createTrustingStore(url: string): Promise<PetStore> {
  const connect = () => postgres(url, { max: 1, fetch_types: false, backoff: () => 0.02, onnotice() {} });
  let sql = connect();
  const statements = statementsFor("petstore");
  const query = async (text: string, parameters: string[]): Promise<string[][]> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_, reject) => timer = setTimeout(reject, TIMEOUT, TOO_LONG));
    try {
      return await Promise.race([
        sql.unsafe(text, parameters, { prepare: true }).values() as Promise<string[][]>,
        timeout,
      ]);
    } catch (cause) {
      if (cause === TOO_LONG) {
        sql.end({ timeout: 0 });
        sql = connect();
      }
      throw new StoreUnavailableError(String(cause), { cause, mayBeStored: true });
    } finally {
      clearTimeout(timer);
    }
  };
  return Promise.resolve({
    async create(pet) {
      const rows = await query(statements.add, [...petArrays([pet]), "{}", "{}", "{}"]);
      return BigInt(rows[0]![0]!);
    },
    async createOnce(pet, { key, fingerprint, retentionMs }) {
      const request = [key, fingerprint, retentionMs].map((value) => `{${value}}`);
      const [row] = await query(statements.add, [...petArrays([pet]), ...request]);
      const id = BigInt(row![0]!);
      return id > 0n ? { outcome: "created", id } : { outcome: "replayed", id: -id };
    },
    async get(id) {
      const [row] = await query(statements.pet, [String(id)]);
      return row?.[0];
    },
    async list({ after, limit, status }) {
      const bounds = [String(after), String(limit + 1)];
      const rows = status === undefined
        ? await query(statements.all, bounds)
        : await query(statements.ofStatus, [...bounds, String(statusCode(status))]);
      return pageOf(rows.map(([id, json]) => ({ id, json })), limit);
    },
    check: async () => void await query("SELECT 1", []),
    close: () => sql.end({ timeout: 1 }),
  });
}
