/**
 * Reads a whole SQLite file in one transaction. `petstore check`, backups and restores look for its
 * faults: those that SQLite finds, changes of the schema, and pets that the service would not
 * accept. Exports read its pets.
 */

import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreUnavailableError } from "../store.ts";
import { closeUnused, type OpenedFiles } from "./opened_files.ts";
import { requireSafeFiles } from "./file_checks.ts";
import { followLinks } from "./file_names.ts";
import { asUnavailable, explained, unavailableFrom } from "./errors.ts";
import { expectedSchemaText, readSchemaText, readVersion, requireKnownSchema } from "./schema.ts";
import { prepareWithBigInts, retryWhileBusy } from "./transaction.ts";

/** What is in a file. Pets are counted only if SQLite finds no damage. */
export interface Inspection {
  pets: bigint;
  faults: string[];
}

const MAX_FAULTS = 20;

/** Counts the pets that the service would not accept, and finds the first of them. Ids end at 2^53 − 1. */
const SELECT_INVALID_PETS = `SELECT count(*) AS count, min(id) AS first FROM pets
  WHERE id < 1 OR id >= 9007199254740992 OR length(name) NOT BETWEEN 1 AND 255`;

/** Inspects a file that servers may be using, without a change. */
export async function inspectDatabase(path: string): Promise<Inspection> {
  return await readSnapshot(findDatabase(path), inspectContents);
}

/** A database that can be read without a change. */
export type FoundDatabase = Pick<OpenedFiles, "givenPath" | "path">;

/**
 * Finds a database, and checks that it can be read without a change. Call it on the main thread:
 * the check makes a second name for the file for a moment (see file_checks.ts), and a thread may be
 * ended before it removes the name.
 *
 * @throws {StoreUnavailableError} If it cannot be read without a change.
 */
export function findDatabase(givenPath: string): FoundDatabase {
  return explained(givenPath, () => {
    const path = followLinks(givenPath);
    requireSafeFiles(givenPath, path, "read");
    if (!existsSync(path)) throw new StoreUnavailableError(`${givenPath} does not exist`);
    closeUnused(path);
    return { givenPath, path };
  });
}

/**
 * Reads a file in one transaction.
 *
 * @throws {StoreUnavailableError} If the file cannot be read.
 * @throws What `read` throws.
 */
export async function readSnapshot<T>(found: FoundDatabase, read: (db: DatabaseSync) => T | Promise<T>): Promise<T> {
  const db = openSnapshot(found);
  try {
    if (readVersion(db) === 0) throw new StoreUnavailableError(`${found.givenPath} is an empty database`);
    return await read(db);
  } catch (error) {
    throw asUnavailable(error, found.givenPath);
  } finally {
    db.close();
  }
}

/**
 * Opens a file, and begins the transaction that shows it as it is now. The caller closes the file.
 *
 * @throws {StoreUnavailableError} If the file cannot be read, or is neither new nor a petstore's.
 */
export function openSnapshot({ givenPath, path }: FoundDatabase): DatabaseSync {
  // If SQLite has to create a log to read, or to roll back a journal that a killed program has
  // left, it needs a writable connection. A log that is there stays: a writable connection would
  // write it back at the end.
  const readOnly = existsSync(`${path}-wal`) && !existsSync(`${path}-journal`);
  const db = explained(givenPath, () => new DatabaseSync(path, { readOnly }));
  try {
    // Deno lets SQLite wait for 5 seconds on a connection that only reads.
    db.exec("PRAGMA busy_timeout = 0; PRAGMA query_only = ON; BEGIN");
    // `BEGIN` alone fixes nothing: the snapshot is that of the first read, which is this one.
    retryWhileBusy(() => requireKnownSchema(db, givenPath));
    return db;
  } catch (error) {
    db.close();
    throw unavailableFrom(error, givenPath);
  }
}

/** Inspects a database in a transaction that has begun. */
export function inspectContents(db: DatabaseSync): Inspection {
  const rows = db.prepare(`PRAGMA integrity_check(${MAX_FAULTS})`).all();
  const lines = rows.flatMap((row) => String(row["integrity_check"]).split("\n"));
  // A line of asterisks is a heading, such as `*** in database main ***`.
  const damage = lines.filter((line) => line !== "ok" && !line.startsWith("***"));
  if (damage.length > 0) return { pets: 0n, faults: damage.map((line) => `SQLite finds damage: ${line}`) };
  const { pets } = prepareWithBigInts(db, "SELECT count(*) AS pets FROM pets").get() as { pets: bigint };
  return { pets, faults: [...findSchemaChanges(db), ...findInvalidPets(db)] };
}

function findSchemaChanges(db: DatabaseSync): string[] {
  const expected = expectedSchemaText();
  const actual = readSchemaText(db);
  return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((name) => {
    if (!actual.has(name)) return `The ${name} is missing`;
    if (!expected.has(name)) return `The ${name} is not of the petstore`;
    return actual.get(name) === expected.get(name) ? [] : `The ${name} was changed by another program`;
  });
}

function findInvalidPets(db: DatabaseSync): string[] {
  const { count, first } = prepareWithBigInts(db, SELECT_INVALID_PETS).get() as { count: bigint; first: bigint };
  if (count === 0n) return [];
  return [`Pets whose id or name the service cannot have stored: ${count}; look at id ${first}`];
}
