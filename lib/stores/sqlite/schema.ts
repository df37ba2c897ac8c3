/**
 * The schema of an SQLite file: how the file gets its tables, whose file it is, and what other
 * programs have changed in the schema. A file says by two numbers of SQLite's own whose it is
 * (`application_id`) and which version of the schema it has (`user_version`).
 */

import { DatabaseSync } from "node:sqlite";
import { KEY_COLUMNS, PET_COLUMNS, REQUEST_COLUMNS } from "../database/sql_tables.ts";
import { StoreUnavailableError } from "../store.ts";
import { beginWrite, runAndCommit } from "./transaction.ts";

/**
 * Entry n leads from version n of the schema to version n + 1. An entry that was published must not
 * change, because files exist that were made with it.
 */
const MIGRATIONS: readonly string[] = [
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

/**
 * Brings a database to the latest version, in one transaction. Returns whether it was empty. The
 * caller has checked that it is new or that of a petstore.
 *
 * @param migrations The migrations of this program. A test gives others.
 */
export function migrate(db: DatabaseSync, path: string, migrations: readonly string[] = MIGRATIONS): boolean {
  if (readVersion(db) === migrations.length) return false;
  beginWrite(db);
  return runAndCommit(db, () => {
    // The schema is checked again under the lock, because another process may have migrated the database meanwhile.
    requireKnownSchema(db, path, migrations.length);
    const version = readVersion(db);
    for (const statements of migrations.slice(version)) db.exec(statements);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}`);
    return version === 0;
  });
}

/** The mark of a petstore's file in `PRAGMA application_id`: "PetS" in ASCII. */
const APPLICATION_ID = 0x50657453;

/**
 * Checks that a database is new or belongs to a petstore, also to one of a later release. A new one
 * has neither tables nor marks. That of a petstore has its mark, and a version if it has tables.
 *
 * @throws {StoreUnavailableError} If the database belongs to another program.
 */
export function requireOwn(db: DatabaseSync, path: string): void {
  const version = readVersion(db);
  const mark = readPragma(db, "application_id");
  const isEmpty = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  const isNew = isEmpty && mark === 0 && version === 0;
  const isOwn = mark === APPLICATION_ID && (version > 0 || isEmpty);
  if (isNew || isOwn) return;
  throw new StoreUnavailableError(
    `${path} is an SQLite database of another program, or a copy without the marks of a petstore's file; it was left unchanged`,
  );
}

/**
 * Checks that a database is new or belongs to this program. Call it in a transaction, because
 * another process may create the schema between two reads.
 *
 * @param latest The latest version that this program knows.
 * @throws {StoreUnavailableError} If the database belongs to another program, or has a later
 * version.
 */
export function requireKnownSchema(db: DatabaseSync, path: string, latest: number = MIGRATIONS.length): void {
  requireOwn(db, path);
  const version = readVersion(db);
  if (version <= latest) return;
  throw new StoreUnavailableError(
    `${path} has version ${version} of the schema, and this program knows ${latest}: use the later program that wrote it`,
  );
}

/** Reads the version of the schema, which is 0 in a new database. */
export function readVersion(db: DatabaseSync): number {
  return readPragma(db, "user_version");
}

function readPragma(db: DatabaseSync, name: "application_id" | "user_version"): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/**
 * Reads the SQL of each table, index and trigger by its kind and name, without those of SQLite
 * itself.
 *
 * @param condition Which of them, in SQL.
 */
export function readSchemaText(db: DatabaseSync, condition = "TRUE"): Map<string, string> {
  const rows = db.prepare(
    `SELECT type || ' ' || name AS name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND ${condition}`,
  ).all();
  const entries = rows.map(({ name, sql }): [string, string] => [String(name), String(sql)]);
  return new Map(entries.filter(([name]) => !/ sqlite_/.test(name)));
}

/** Returns what {@link readSchemaText} finds in a new database. */
export function expectedSchemaText(): Map<string, string> {
  return inNewDatabase(readSchemaText);
}

/** Reads from a database in memory that has just got its tables. */
function inNewDatabase<T>(read: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(":memory:");
  try {
    for (const statements of MIGRATIONS) db.exec(statements);
    return read(db);
  } finally {
    db.close();
  }
}

/**
 * Whether the stamp shows each change of a pet. It does if the tables of pets and of the stamp,
 * with all their triggers and indexes, are as this program makes them: another trigger may undo the
 * work of one of these, and REPLACE deletes the rows in the way of a unique index without a
 * trigger.
 */
export function stampShowsAlterations(db: DatabaseSync): boolean {
  return readStampSchema(db) === inNewDatabase(readStampSchema);
}

/** A trigger says the name of its table in the capitals in which it was typed. */
const ON_STAMPED_TABLES = "lower(tbl_name) IN ('pets', 'alteration')";

function readStampSchema(db: DatabaseSync): string {
  return JSON.stringify([...readSchemaText(db, ON_STAMPED_TABLES)].sort());
}
