/**
 * Tells the files of petstores from those of other programs. A file says by two numbers of SQLite's
 * own whose it is (`application_id`) and which version of the schema it has (`user_version`).
 */

import type { DatabaseSync } from "node:sqlite";
import { StoreUnavailableError } from "../store.ts";
import { MIGRATIONS } from "./migrations.ts";
import { hasTables } from "./schema_text.ts";

/** The mark of a petstore's file in `PRAGMA application_id`: "PetS" in ASCII. */
const APPLICATION_ID = 0x50657453;

/**
 * What a database is:
 *
 * - `new`: it has neither tables nor marks.
 * - `own`: it has the mark of a petstore, and a version if it has tables.
 * - `unmarked`: it has the tables of a petstore, and lacks the mark or the version, as a copy by
 *   the shell's `.dump` does.
 * - `foreign`: it is anything else, and must be left unchanged.
 */
type Ownership = "new" | "own" | "unmarked" | "foreign";

function ownershipOf(db: DatabaseSync): Ownership {
  const version = readVersion(db);
  const mark = readPragma(db, "application_id");
  const isEmpty = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (isEmpty && mark === 0 && version === 0) return "new";
  if (mark === APPLICATION_ID && (version > 0 || isEmpty)) return "own";
  // A number that a petstore does not leave there is the mark of another program.
  const isMarkedByAnother = (mark !== 0 && mark !== APPLICATION_ID) || version > 0;
  return !isMarkedByAnother && hasTables(db) ? "unmarked" : "foreign";
}

/**
 * Checks that a database is new or belongs to a petstore, also to one of a later release.
 *
 * @throws {StoreUnavailableError} If the database belongs to another program.
 */
export function requireOwn(db: DatabaseSync, path: string): void {
  switch (ownershipOf(db)) {
    case "new":
    case "own":
      return;
    case "unmarked":
      throw new StoreUnavailableError(
        `${path} has the tables of a petstore without the marks of its file, as a copy by the shell's .dump has them; ` +
          `if it is such a copy, mark it by: ${markStatements(MIGRATIONS.length)}`,
      );
    case "foreign":
      throw new StoreUnavailableError(`${path} is an SQLite database of another program; it was left unchanged`);
  }
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

/** Like {@link requireKnownSchema}, but throws for a new database too. */
export function requireNotEmpty(db: DatabaseSync, path: string): void {
  requireKnownSchema(db, path);
  if (readVersion(db) === 0) throw new StoreUnavailableError(`${path} is an empty database`);
}

/** The statements that mark a database as that of a petstore. */
export function markStatements(version: number): string {
  return `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}`;
}

/** Reads the version of the schema, which is 0 in a new database. */
export function readVersion(db: DatabaseSync): number {
  return readPragma(db, "user_version");
}

function readPragma(db: DatabaseSync, name: "application_id" | "user_version"): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}
