/**
 * A store of your own in fifty lines, which docs/stores.md links. Copy it; then it imports
 * `@petstore/petstore/store`.
 */

import { DatabaseSync } from "node:sqlite";
import type { PetDraft, PetStore } from "../../lib/stores/store.ts";

const TABLES = `
  CREATE TABLE IF NOT EXISTS pets (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, categoryId INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')));
  CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id);
  CREATE TABLE IF NOT EXISTS requests (key TEXT PRIMARY KEY, fingerprint TEXT, pet INTEGER, expires INTEGER)`;

// The database writes the JSON, since an int64 does not fit into a number of JavaScript.
const PETS =
  "SELECT id, json_object('id', id, 'name', name, 'categoryId', categoryId, 'status', status) AS json FROM pets";

export function createMyStore(path: string): PetStore {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  const transaction = <T>(work: () => T): T => {
    db.exec("BEGIN IMMEDIATE"); // waits for other creates, so that ids ascend in the order in which pets become visible
    try {
      const result = work();
      db.exec("COMMIT");
      return result;
    } catch (error) {
      db.exec("ROLLBACK");
      throw error;
    }
  };
  transaction(() => db.exec(TABLES));
  const insert = db.prepare("INSERT INTO pets (name, categoryId, status) VALUES (?, ?, ?)");
  const add = (pet: PetDraft) => BigInt(insert.run(pet.name, pet.categoryId, pet.status).lastInsertRowid);
  return {
    create: (pet) => transaction(() => add(pet)),
    createOnce: (pet, { key, fingerprint, retentionMs }) =>
      transaction(() => { // stores the pet and the request, or neither
        const now = Date.now();
        const known = db.prepare("SELECT * FROM requests WHERE key = ? AND expires > ?").get(key, BigInt(now));
        if (known && known["fingerprint"] !== fingerprint) return { outcome: "conflict" };
        if (known) return { outcome: "replayed", id: BigInt(known["pet"] as number) };
        const id = add(pet);
        db.prepare("REPLACE INTO requests VALUES (?, ?, ?, ?)").run(key, fingerprint, id, BigInt(now + retentionMs));
        return { outcome: "created", id };
      }),
    get: (id) => db.prepare(`${PETS} WHERE id = ?`).get(id)?.["json"] as string | undefined,
    list({ after, limit, status }) {
      const read = db.prepare(`${PETS} WHERE ${status ? "status = ? AND" : ""} id > ? ORDER BY id LIMIT ?`);
      const rows = read.all(...status ? [status] : [], after, BigInt(limit + 1));
      const page = rows.slice(0, limit);
      const json = `[${page.map((row) => row["json"]).join(",")}]`;
      return rows.length > limit ? { json, next: BigInt(page.at(-1)!["id"] as number) } : { json };
    },
    check: () => void db.prepare("SELECT 1").get(),
    close: () => void (db.isOpen && db.close()),
  };
}
