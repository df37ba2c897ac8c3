/** Tells whether a database file is sound. Changes nothing, and makes no file. */

import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { StoreUnavailableError } from "../store.ts";
import { followLinks, inspectFiles } from "./file.ts";
import { BUSY_TIMEOUT, explain, setBusyTimeout } from "./open.ts";
import { readSchemaText, requireKnownSchema, SCHEMA_VERSION, schemaTextOf } from "./schema.ts";

/** What was found in a file. */
export interface Inspection {
  /** The version of its schema; 0 if the file is an empty database. */
  version: number;
  /** The version that this release makes. */
  wanted: number;
  pets: bigint;
  /** What is wrong, a sentence each. */
  faults: string[];
}

/** How many faults SQLite looks for. The first ones tell enough. */
const MAX_FAULTS = 20;

/** Pets that no release has stored: the id or the name is out of the range that the service accepts. */
const IMPOSSIBLE_PETS = `SELECT count(*) AS count, min(id) AS first FROM pets
  WHERE id < 1 OR id >= 9007199254740992 OR length(name) NOT BETWEEN 1 AND 255`;

/**
 * Inspects a file, which servers may be using.
 *
 * @throws {StoreUnavailableError} If it cannot be read, or is not a database of this program that this release can use.
 */
export async function inspectDatabase(path: string): Promise<Inspection> {
  try {
    const file = followLinks(path);
    if (!inspectFiles(path, file)) throw new StoreUnavailableError(`${path} does not exist`);
    if (existsSync(`${file}-journal`)) {
      throw new StoreUnavailableError(
        `${path} has a rollback journal beside it: a program was killed while it wrote. Start the server, which repairs that`,
      );
    }
    return await readUnchanged(file, (db) => inspectContents(db, path));
  } catch (error) {
    throw error instanceof StoreUnavailableError ? error : explain(error, path);
  }
}

/**
 * Reads one moment of a file, and makes no file beside it. SQLite would make a log and its index. Without a log, no program has the
 * file open, so it can be read as a file that does not change, unless a log has appeared in the end.
 */
export async function readUnchanged<T>(file: string, read: (db: DatabaseSync) => T | Promise<T>): Promise<T> {
  const isIdle = () => !existsSync(`${file}-wal`);
  if (isIdle()) {
    const result = await readMoment(file, true, read);
    if (isIdle()) return result;
  }
  return await readMoment(file, false, read);
}

async function readMoment<T>(
  file: string,
  isImmutable: boolean,
  read: (db: DatabaseSync) => T | Promise<T>,
): Promise<T> {
  const url = pathToFileURL(file);
  if (isImmutable) url.searchParams.set("immutable", "1");
  const db = new DatabaseSync(url, { readOnly: true });
  try {
    setBusyTimeout(db, BUSY_TIMEOUT);
    db.exec("BEGIN");
    return await read(db);
  } finally {
    db.close();
  }
}

function inspectContents(db: DatabaseSync, path: string): Inspection {
  const version = requireKnownSchema(db, path);
  const damage = db.prepare(`PRAGMA integrity_check(${MAX_FAULTS})`).all().map((row) => String(row["integrity_check"]));
  const found = { version, wanted: SCHEMA_VERSION, pets: 0n };
  const faults = damage.filter((line) => line !== "ok").map((line) => `SQLite finds damage: ${line}`);
  if (faults.length > 0 || version === 0) return { ...found, faults };
  return { ...found, pets: countPets(db), faults: [...findChanges(db, version), ...findStrangers(db)] };
}

export function countPets(db: DatabaseSync): bigint {
  const statement = db.prepare("SELECT count(*) AS count FROM pets");
  statement.setReadBigInts(true);
  return statement.get()?.["count"] as bigint;
}

/** Tables, indexes and triggers that differ from those of a release. A later release may have more. */
function findChanges(db: DatabaseSync, version: number): string[] {
  if (version > SCHEMA_VERSION) return [];
  const wanted = schemaTextOf(version);
  const found = readSchemaText(db);
  const missing = [...wanted.keys()].filter((name) => !found.has(name)).map((name) => `The ${name} is missing`);
  const foreign = [...found.keys()].filter((name) => !wanted.has(name)).map((name) =>
    `The ${name} is not of a release`
  );
  const changed = [...wanted].filter(([name, sql]) => found.has(name) && found.get(name) !== sql)
    .map(([name]) => `The ${name} was changed by another program`);
  return [...missing, ...foreign, ...changed];
}

function findStrangers(db: DatabaseSync): string[] {
  const statement = db.prepare(IMPOSSIBLE_PETS);
  statement.setReadBigInts(true);
  const { count, first } = statement.get() as { count: bigint; first: bigint };
  if (count === 0n) return [];
  return [`${count} pets have an id or a name that the service cannot have stored, the first of them with id ${first}`];
}
