import type { KeyStore, StoredKey } from "@petstore/petstore/store";
import { keyOfRow } from "@petstore/petstore/store/toolkit";
import type { StatementQueue } from "./client/statement_queue.ts";
import type { Parameter } from "./client/connection.ts";
import { keyStatements } from "./statements.ts";

/** Keeps API keys in a table of PostgreSQL. */
export function postgresKeys(db: StatementQueue): KeyStore {
  const statements = keyStatements(db.schema);
  /** Runs a statement that changes keys, and returns whether it has done so. */
  async function change(statement: string, parameters: Parameter[]): Promise<boolean> {
    return (await db.query(statement, parameters, { whatItStores: "change of the keys" })).length > 0;
  }
  async function list(): Promise<StoredKey[]> {
    return (await db.query(statements.all)).map(([row]) => keyOfRow(JSON.parse(row!)));
  }
  return {
    list,
    async listSince(knownVersion) {
      // The version is read before the keys: if they change in between, the next call reads them again.
      const [[version] = []] = await db.query(statements.version);
      return version === knownVersion ? { version } : { version: String(version), keys: await list() };
    },
    async add(key, replaced) {
      const added = parametersOf(key);
      if (!replaced) return await change(statements.add, added);
      return await change(statements.replace, [...added, replaced.id, timeOf(replaced.expires)]);
    },
    revoke: (id, at) => change(statements.revoke, [id, timeOf(at)]),
  };
}

/** The first parameters of the statements that add a key, in their order. */
function parametersOf({ id, digest, label, caller, readOnly, created, expires }: StoredKey): Parameter[] {
  return [id, digest, label, caller, String(readOnly), timeOf(created), timeOf(expires)];
}

/** In milliseconds since 1970. */
function timeOf(date: Date | undefined): Parameter {
  return date ? String(date.getTime()) : null;
}
