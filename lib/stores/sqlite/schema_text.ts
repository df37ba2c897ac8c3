/** Compares the tables, indexes and triggers of an SQLite file with those that this program makes, by their SQL. */

import type { DatabaseSync } from "node:sqlite";
import { inNewDatabase } from "./migrations.ts";

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

/** Whether a database has each table of the latest schema, with its columns. */
export function hasTables(db: DatabaseSync): boolean {
  const actual = readSchemaText(db);
  const tables = [...expectedSchemaText()].filter(([name]) => name.startsWith("table "));
  return tables.every(([name, sql]) => actual.get(name) === sql);
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
