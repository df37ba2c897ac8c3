/**
 * The schema of an SQLite file, its version and its migrations. A file says by two numbers of SQLite's own whose it is (`application_id`)
 * and which version it has (`user_version`).
 */

import { DatabaseSync } from "node:sqlite";
import { StoreUnavailableError } from "../store.ts";
import { KEY_COLUMNS, PET_COLUMNS, REQUEST_COLUMNS } from "../sql_tables.ts";
import { beginWrite, BUSY_TIMEOUT_MS, runAndCommit } from "./transaction.ts";

/** The mark of a petstore's file in `PRAGMA application_id`: "PetS" in ASCII. */
const APPLICATION_ID = 0x50657453;

/**
 * Entry n leads from version n of the schema to version n + 1. An entry that was published must not change, because files exist
 * that were made with it.
 */
const MIGRATIONS: readonly string[] = [
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

/** The tables that the migrations make, and the one in which SQLite keeps the last id. */
export const TABLES: readonly string[] = ["pets", "idempotency_keys", "api_keys", "alteration", "sqlite_sequence"];

/**
 * Brings a database to the latest version, in one transaction. Returns whether it was empty.
 *
 * @param migrations The migrations of this program. A test gives others.
 */
export function migrate(db: DatabaseSync, path: string, migrations: readonly string[] = MIGRATIONS): boolean {
  if (readPragma(db, "user_version") === migrations.length) return false;
  beginWrite(db, BUSY_TIMEOUT_MS);
  return runAndCommit(db, () => {
    // The version is read again under the lock, because another process may have migrated the database meanwhile.
    const version = requireKnownSchema(db, path, migrations.length);
    for (const statements of migrations.slice(version)) db.exec(statements);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}`);
    return version === 0;
  });
}

/**
 * Checks that a database is empty or belongs to this program, and returns the version of its schema, 0 if it is empty. Call it in a
 * transaction, because another process may create the schema between two reads.
 *
 * @param latest The latest version that this program knows.
 * @throws {StoreUnavailableError} If the database belongs to another program, or has a later version.
 */
export function requireKnownSchema(db: DatabaseSync, path: string, latest: number = MIGRATIONS.length): number {
  const version = requireOwn(db, path);
  if (version <= latest) return version;
  throw new StoreUnavailableError(
    `${path} has version ${version} of the schema, and this program knows ${latest}: use the later program that wrote it`,
  );
}

/** Like {@link requireKnownSchema}, but throws for an empty database too. */
export function requireTables(db: DatabaseSync, path: string): void {
  if (requireKnownSchema(db, path) === 0) throw new StoreUnavailableError(`${path} is an empty database`);
}

/**
 * Like {@link requireKnownSchema}, but accepts a later version too.
 *
 * @throws {StoreUnavailableError} If the database belongs to another program.
 */
export function requireOwn(db: DatabaseSync, path: string): number {
  const owner = readPragma(db, "application_id");
  const version = readPragma(db, "user_version");
  const isEmpty = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  const isNew = isEmpty && owner === 0 && version === 0;
  const isOwn = owner === APPLICATION_ID && (isEmpty || version > 0);
  if (isNew || isOwn) return version;
  const lacksMarks = (owner === 0 || owner === APPLICATION_ID) && version <= 0;
  if (lacksMarks && hasTables(db)) {
    throw new StoreUnavailableError(
      `${path} has the tables of a petstore without the marks of its file, as a copy by the shell's .dump has them; ` +
        `if it is such a copy, mark it by: PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`,
    );
  }
  throw new StoreUnavailableError(`${path} is an SQLite database of another program; it was left unchanged`);
}

/** Whether a database has each table of the latest schema, with its columns. */
function hasTables(db: DatabaseSync): boolean {
  const actual = readSchemaText(db);
  return [...expectedSchemaText()].every(([name, sql]) => !name.startsWith("table ") || actual.get(name) === sql);
}

function readPragma(db: DatabaseSync, name: "application_id" | "user_version"): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/** Reads the SQL of each table, index and trigger by its kind and name, without those of SQLite itself. */
export function readSchemaText(db: DatabaseSync): Map<string, string> {
  const rows = db.prepare("SELECT type || ' ' || name AS name, sql FROM sqlite_schema WHERE sql IS NOT NULL").all();
  const entries = rows.map(({ name, sql }): [string, string] => [String(name), String(sql)]);
  return new Map(entries.filter(([name]) => !/ sqlite_/.test(name)));
}

/** Returns what {@link readSchemaText} finds in a new database. */
export function expectedSchemaText(): Map<string, string> {
  return inNewDatabase(readSchemaText);
}

/**
 * Whether the stamp shows each change of a pet. It does if the tables of pets and of the stamp, with all their triggers and indexes, are as
 * this program makes them: another trigger may undo the work of one of these, and REPLACE deletes the rows in the way of a unique index
 * without a trigger.
 */
export function stampShowsAlterations(db: DatabaseSync): boolean {
  return readStampSchema(db) === inNewDatabase(readStampSchema);
}

/**
 * Reads the SQL of all that is on the tables of pets and of the stamp. A trigger says the name of its table in the capitals in which it was
 * typed.
 */
function readStampSchema(db: DatabaseSync): string {
  const rows = db.prepare(
    `SELECT type || ' ' || sql AS text FROM sqlite_schema
      WHERE lower(tbl_name) IN ('pets', 'alteration') AND sql IS NOT NULL ORDER BY text`,
  ).all();
  return rows.map(({ text }) => String(text)).join("\n");
}

/** Reads from a database that has just been made, in memory. */
function inNewDatabase<T>(read: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(":memory:");
  try {
    for (const statements of MIGRATIONS) db.exec(statements);
    return read(db);
  } finally {
    db.close();
  }
}
