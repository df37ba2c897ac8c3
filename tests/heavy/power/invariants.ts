/** Whether the files that a loss of power has left keep what was promised. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { KEY_FILE } from "../../../lib/server/first_key/key_file.ts";
import { PET_JSON } from "../../../lib/stores/sql_tables.ts";
import type { Promises } from "./promises.ts";

interface StoredPet {
  id: string;
  name: string;
  json: string;
}

/** Reads the files directly, which takes a tenth of the time of a server. */
export function findFaults(folder: string, promises: Promises): string[] {
  const path = join(folder, promises.store.path);
  const faults = [...findBackupFaults(folder, promises), ...findKeyFileFaults(folder, promises)];
  const isMissing = !existsSync(path) || (statSync(path).size === 0 && !existsSync(`${path}-wal`));
  using db = isMissing ? new DatabaseSync(":memory:") : open(path);
  try {
    return [...faults, ...findDatabaseFaults(db, promises)];
  } catch (error) {
    return [...faults, `SQLite cannot read the file: ${error}`];
  }
}

/** A connection that may write would write the log back at its end. Only such a one rolls a journal back. */
function open(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: existsSync(`${path}-wal`) && !existsSync(`${path}-journal`) });
}

function* findDatabaseFaults(db: DatabaseSync, promises: Promises): Generator<string> {
  yield* findDamage(db);
  const hasTable = (name: string) => db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined;
  const pets = hasTable("pets") ? readPets(db) : [];
  yield* findPetFaults(pets, promises);
  if (hasTable("pets")) yield* findCounterFaults(db, promises);
  if (hasTable("idempotency_keys")) yield* findRequestFaults(db, pets, promises);
  const keys = hasTable("api_keys") ? readKeys(db) : new Map<string, boolean>();
  for (const id of promises.valid) if (keys.get(id) !== true) yield `${id} was shown, and is not valid`;
  for (const id of promises.revoked) if (keys.get(id) !== false) yield `${id} was revoked, and is valid`;
  yield* findImportFaults(pets, promises);
}

function* findDamage(db: DatabaseSync): Generator<string> {
  for (const row of db.prepare("PRAGMA integrity_check").all()) {
    if (row["integrity_check"] !== "ok") yield `SQLite finds damage: ${row["integrity_check"]}`;
  }
}

function readPets(db: DatabaseSync): StoredPet[] {
  return db.prepare(`SELECT CAST(id AS TEXT) AS id, name, ${PET_JSON} AS json FROM pets ORDER BY pets.id`)
    .all() as unknown as StoredPet[];
}

/** Whether each is valid. */
function readKeys(db: DatabaseSync): Map<string, boolean> {
  const isValid = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)";
  const rows = db.prepare(`SELECT id, ${isValid} AS valid FROM api_keys`).all(BigInt(Date.now()));
  return new Map(rows.map(({ id, valid }) => [String(id), valid === 1]));
}

export function* findPetFaults(pets: readonly StoredPet[], promises: Promises): Generator<string> {
  const byId = new Map(pets.map(({ id, json }) => [id, json]));
  for (const [id, shown] of promises.pets) {
    if (byId.get(id) !== shown) yield `Shown was ${shown}, and stored is ${byId.get(id) ?? "nothing"}`;
  }
  if (new Set(pets.map(({ name }) => name)).size < pets.length) yield "A pet is stored twice";
}

function* findCounterFaults(db: DatabaseSync, { pets }: Promises): Generator<string> {
  const last = Number(db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'pets'").get()?.["seq"] ?? 0);
  const shown = Math.max(0, ...[...pets.keys()].map(Number));
  if (last < shown) yield `The id after ${last} is given next, and ${shown} was shown`;
}

/** Without its request, a retry would make a second pet. */
function* findRequestFaults(db: DatabaseSync, pets: readonly StoredPet[], { creates }: Promises): Generator<string> {
  const requested = new Set(
    db.prepare("SELECT CAST(pet_id AS TEXT) AS id FROM idempotency_keys").all().map(({ id }) => id),
  );
  for (const { id, name } of pets) {
    if (creates.has(name) && !requested.has(id)) yield `Pet ${id} is stored without its Idempotency-Key`;
  }
}

/** An import adds all of its pets, or none. */
function* findImportFaults(pets: readonly StoredPet[], { imports }: Promises): Generator<string> {
  const stored = new Set(pets.map(({ name }) => name));
  for (const { names, isDone } of imports) {
    const missing = names.filter((name) => !stored.has(name)).length;
    if (missing > 0 && (isDone || missing < names.length)) {
      yield `${missing} of ${names.length} imported pets are missing`;
    }
  }
}

function* findKeyFileFaults(folder: string, { keptKey }: Promises): Generator<string> {
  const path = join(folder, KEY_FILE);
  if (keptKey === undefined || (existsSync(path) && readFileSync(path, "utf8").trim() === keptKey)) return;
  yield `${KEY_FILE} does not have the key that was shown`;
}

/** A backup that has its name is whole. */
function* findBackupFaults(folder: string, { backups }: Promises): Generator<string> {
  for (const [file, { pets, count }] of backups) {
    const path = join(folder, file);
    if (!existsSync(path)) {
      if (count !== undefined) yield `${file} was shown, and is missing`;
      continue;
    }
    using db = open(path);
    try {
      yield* findDamage(db);
      const stored = new Set(readPets(db).map(({ json }) => json));
      if (count !== undefined && stored.size !== count) yield `${file} has ${stored.size} pets instead of ${count}`;
      const missing = pets.filter((pet) => !stored.has(pet));
      if (missing.length > 0) yield `${file} lacks ${missing.length} pets`;
    } catch (error) {
      yield `SQLite cannot read ${file}: ${error}`;
    }
  }
}
