/** What durable creation costs without group commit: every create is a transaction, and so an fsync, of its own. */

import { DatabaseSync } from "node:sqlite";
import type { PetStore } from "../../mod.ts";

/** A store that can create, and nothing else. */
export function createOneCommitStore(path: string): PetStore {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  db.exec("CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, category_id INTEGER, status TEXT) STRICT");
  const insert = db.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)");
  return {
    create: ({ name, categoryId, status }) => BigInt(insert.run(name, categoryId, status).lastInsertRowid),
    // Claims to have every pet, so that nobody fills it.
    get: () => "{}",
    list: () => ({ json: "[]" }),
    check() {},
    close: () => db.close(),
  };
}
