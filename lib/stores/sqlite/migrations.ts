/** The migrations of an SQLite file, by which it gets its tables. */

import { DatabaseSync } from "node:sqlite";
import { KEY_COLUMNS, PET_COLUMNS, REQUEST_COLUMNS } from "../sql_tables.ts";

/**
 * Entry n leads from version n of the schema to version n + 1. An entry that was published must not change, because files exist
 * that were made with it.
 */
export const MIGRATIONS: readonly string[] = [
  // Every SQLite index ends with the rowid, so the index of statuses has the pets of a status in the order of ids. The API keys are in
  // the order in which they were added, and all times are in milliseconds since 1970.
  //
  // Servers keep responses, and must notice when another program changes a pet. The stamp is for them (change_watch.ts): it changes at
  // every write that does more than add pets with new, larger ids. There is a trigger for each such write:
  //
  // - `pet_updated` and `pet_deleted` are for those statements.
  // - `pet_replaced` is for REPLACE, which deletes a row without a trigger for the deletion. It looks before the insert whether the id is
  //   taken.
  // - `pet_inserted` is for an id in the middle, as other programs can choose ids. It looks after the insert, because before it, an id
  //   that SQLite is to choose is undefined.
  `CREATE TABLE pets ${PET_COLUMNS};
   CREATE INDEX pets_by_status ON pets (status);
   CREATE TABLE idempotency_keys ${REQUEST_COLUMNS};
   CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
   CREATE TABLE api_keys ${KEY_COLUMNS};
   CREATE TABLE alteration (stamp INTEGER NOT NULL) STRICT;
   INSERT INTO alteration VALUES (random());
   CREATE TRIGGER pet_updated AFTER UPDATE ON pets BEGIN UPDATE alteration SET stamp = random(); END;
   CREATE TRIGGER pet_deleted AFTER DELETE ON pets BEGIN UPDATE alteration SET stamp = random(); END;
   CREATE TRIGGER pet_inserted AFTER INSERT ON pets WHEN NEW.id < (SELECT max(id) FROM pets)
     BEGIN UPDATE alteration SET stamp = random(); END;
   CREATE TRIGGER pet_replaced BEFORE INSERT ON pets WHEN EXISTS (SELECT 1 FROM pets WHERE id = NEW.id)
     BEGIN UPDATE alteration SET stamp = random(); END;`,
];

/** Reads from a database in memory that has just got its tables. */
export function inNewDatabase<T>(read: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(":memory:");
  try {
    for (const statements of MIGRATIONS) db.exec(statements);
    return read(db);
  } finally {
    db.close();
  }
}
