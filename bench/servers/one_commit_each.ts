/** What durable creation costs without group commit: every create is a transaction, and so an fsync, of its own. */

import { openDatabase } from "../../lib/stores/sqlite/open.ts";
import { insertPets } from "../../lib/stores/sqlite/statements.ts";
import { statusCode } from "../../lib/stores/status_code.ts";
import type { PetStore } from "../../mod.ts";

/** A store that can create, and nothing else. */
export function createOneCommitStore(path: string): PetStore {
  const db = openDatabase(path).db;
  const insert = db.prepare(insertPets(1));
  return {
    create: ({ name, categoryId, status }) =>
      BigInt(insert.run(name, categoryId, BigInt(statusCode(status))).lastInsertRowid),
    // Claims to have every pet, so that nobody fills it.
    get: () => "{}",
    list: () => ({ json: "[]" }),
    check() {},
    close: () => db.close(),
  };
}
