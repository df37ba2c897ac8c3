/** The migrations of an SQLite file, by which it gets its tables. */

import { DatabaseSync } from "node:sqlite";
import { KEY_COLUMNS, PET_COLUMNS, REQUEST_COLUMNS } from "../database/sql_tables.ts";

/**
 * Entry n leads from version n of the schema to version n + 1. An entry that was published must not
 * change, because files exist that were made with it.
 */
export const MIGRATIONS: readonly string[] = [
  `
   CREATE TABLE pets ${PET_COLUMNS};

   -- Every SQLite index ends with the rowid, so this one has the pets of a status in the order of ids.
   CREATE INDEX pets_by_status ON pets (status);

   CREATE TABLE idempotency_keys ${REQUEST_COLUMNS};
   CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

   -- The keys are in the order in which they were added.
   CREATE TABLE api_keys ${KEY_COLUMNS};

   -- Servers keep responses, and must notice when another program changes a pet (change_watch.ts). The stamp is for them. It changes at
   -- every write that does more than add pets with new, larger ids. There is a trigger for each such write.
   CREATE TABLE alteration (stamp INTEGER NOT NULL) STRICT;
   INSERT INTO alteration VALUES (random());

   CREATE TRIGGER pet_updated AFTER UPDATE ON pets BEGIN UPDATE alteration SET stamp = random(); END;

   CREATE TRIGGER pet_deleted AFTER DELETE ON pets BEGIN UPDATE alteration SET stamp = random(); END;

   -- Servers notice a pet at the end by its id, which is the largest one. Another program can choose
   -- an id in the middle, which is smaller than the largest. The trigger looks after the insert:
   -- before it, an id that SQLite is to choose is undefined.
   CREATE TRIGGER pet_inserted AFTER INSERT ON pets WHEN NEW.id < (SELECT max(id) FROM pets)
     BEGIN UPDATE alteration SET stamp = random(); END;

   -- REPLACE deletes a row without a trigger for the deletion. So the trigger looks before the insert whether the id is taken.
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
