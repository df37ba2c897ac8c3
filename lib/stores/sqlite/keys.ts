/** The API keys in an SQLite file, also in one that a restore replaces. */

import { DatabaseSync } from "node:sqlite";
import { type Rows, selectKeys, SqlKeys, type Statement } from "../database/sql_keys.ts";
import { keyOfRow } from "../database/sql_tables.ts";
import type { KeyStore, StoredKey } from "../key_store.ts";
import type { Connection } from "./connection.ts";
import { asUnavailable, unavailableFrom } from "./errors.ts";
import { findDatabase, readSnapshot } from "./inspection.ts";
import { requireInPlace } from "./opened_files.ts";
import { beginWrite, runAndCommit } from "./transaction.ts";

/** The table of the keys. */
const TABLE = "api_keys";

/** Makes the key store of an SQLite file, on the connection by which a store reads its pets. */
export function sqliteKeys(connection: Connection): KeyStore {
  const { db, files, givenPath } = connection;
  return new SqlKeys(TABLE, (kind, ...statements) => {
    try {
      // If the file was moved or replaced, no server would notice a change of it.
      requireInPlace(files);
      connection.sharedRead.end();
      if (kind === "change") beginWrite(db);
      else db.exec("BEGIN");
      return runAndCommit(db, () => {
        if (kind === "change") connection.requireSchema();
        return statements.map((each) => rowsOf(db, each));
      });
    } catch (error) {
      throw asUnavailable(error, givenPath);
    }
  });
}

function rowsOf(db: DatabaseSync, [sql, ...values]: Statement): Rows {
  return db.prepare(sql).all(...values);
}

/** Reads the keys of a file, without a change. */
export async function listKeys(path: string): Promise<StoredKey[]> {
  return await readSnapshot(findDatabase(path), readKeys);
}

/** Reads every key, in the order in which they were added. */
export function readKeys(db: DatabaseSync): StoredKey[] {
  return rowsOf(db, selectKeys(TABLE)).map(keyOfRow);
}

/** A key of the backup, and how it ends in the present file. */
export type RevivedKey = Pick<StoredKey, "id" | "label" | "revoked" | "expires">;

/**
 * Finds the keys that a restore makes valid again, because they were revoked or got an earlier
 * expiry after the backup.
 *
 * @param copy The path of the copy of the backup, which is going to replace the present file.
 * @param present The keys of the present file.
 * @param endsThem Whether these keys are changed in the copy, so that each ends as in the present
 * file.
 */
export function findRevivedKeys(copy: string, present: readonly StoredKey[], endsThem: boolean): RevivedKey[] {
  const db = new DatabaseSync(copy);
  try {
    const revived = compareKeys(readKeys(db), present);
    if (endsThem) endKeys(db, revived);
    return revived;
  } catch (error) {
    throw unavailableFrom(error, "The copy");
  } finally {
    db.close();
  }
}

/**
 * Finds the keys of a backup that are valid and end earlier in the present file. One that is not in
 * the present file counts as revoked now.
 */
function compareKeys(backup: readonly StoredKey[], present: readonly StoredKey[]): RevivedKey[] {
  const now = new Date();
  const presentById = new Map(present.map((key) => [key.id, key]));
  const revived: RevivedKey[] = [];
  for (const key of backup) {
    const { revoked, expires } = presentById.get(key.id) ?? { revoked: now, expires: undefined };
    const isValid = endOf(key) > now.getTime();
    const endsEarlier = endOf({ revoked, expires }) < endOf(key);
    if (isValid && endsEarlier) revived.push({ id: key.id, label: key.label, revoked, expires });
  }
  return revived;
}

function endKeys(db: DatabaseSync, revived: readonly RevivedKey[]): void {
  const update = db.prepare(`UPDATE ${TABLE} SET revoked_at = ?, expires_at = ? WHERE id = ?`);
  db.exec("BEGIN");
  for (const { id, revoked, expires } of revived) {
    update.run(revoked?.getTime() ?? null, expires?.getTime() ?? null, id);
  }
  db.exec("COMMIT");
}

/** When a key ends by its expiry or its revocation, in milliseconds since 1970. */
function endOf({ revoked, expires }: Pick<RevivedKey, "revoked" | "expires">): number {
  return Math.min(revoked?.getTime() ?? Infinity, expires?.getTime() ?? Infinity);
}
