/** The file that a restore replaces. `petstore restore` takes it, keeps it under another name, and puts a copy of the backup in its place. */

import { linkSync, rmSync, type Stats, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { StoredKey } from "../key_store.ts";
import { StoreUnavailableError } from "../store.ts";
import { closeUnused } from "./descriptors.ts";
import { isBusy, isDamage, unavailableFrom } from "./errors.ts";
import { hasForeignLog, inspectFiles, requireUsable } from "./file_checks.ts";
import { followLinks } from "./file_names.ts";
import { readKeys } from "./keys.ts";
import { identify, type Identity, requireSame } from "./opened_files.ts";
import { unfinishedName } from "./remains.ts";
import { requireOwn } from "./ownership.ts";
import { switchOffWal } from "./transaction.ts";

export interface PresentFile {
  /** The path of the file itself, without symbolic links. The file need not exist. */
  path: string;
  /** What the system says of the file; undefined if there is none. */
  stats: Stats | undefined;
  /**
   * Whether SQLite has opened the file. It has then written the log back, so that the file is whole without it, and keeps other programs
   * from opening the file until {@link close}. Otherwise the file is missing, damaged, or has a log that is not its own.
   */
  isOpen: boolean;
  /** The API keys of the file; undefined if they cannot be read. */
  keys: StoredKey[] | undefined;
  /**
   * Checks, before the file is replaced, that the path still leads to it, and that no program has opened a file meanwhile that SQLite could not
   * open here.
   *
   * @throws {StoreUnavailableError} If the file was replaced, or is open: a server may have pets in it that the operator does not know of.
   */
  requireUnused(): void;
  close(): void;
}

/** @throws {StoreUnavailableError} If another program has the file open, or the database is that of another program. */
export function takePresentFile(givenPath: string): PresentFile {
  const path = followLinks(givenPath);
  const stats = statSync(path, { throwIfNoEntry: false });
  const identity = stats && identify(givenPath, path);
  requireUsable(givenPath, path, stats);
  const db = identity && openAlone(givenPath, path, identity);
  return {
    path,
    stats,
    isOpen: db !== undefined,
    keys: db && tryReadKeys(db),
    requireUnused() {
      if (identity) requireSame(givenPath, path, identity);
      if (!db) requireClosed(givenPath, path);
    },
    close() {
      db?.close();
      closeUnused(path);
    },
  };
}

/**
 * Opens a file with SQLite's exclusive lock, and writes its log back. The result is undefined if SQLite must not or cannot open the file.
 *
 * @throws {StoreUnavailableError} If another program has the file open or has replaced it, or the database is that of another program.
 */
function openAlone(givenPath: string, path: string, identity: Identity): DatabaseSync | undefined {
  if (hasForeignLog(path)) {
    requireClosed(givenPath, path);
    return undefined;
  }
  try {
    if (!inspectFiles(givenPath, path)) return undefined;
  } catch {
    // SQLite must not open this file, because it would empty it, for example, or delete its log.
    return undefined;
  }
  const db = new DatabaseSync(path);
  try {
    // If there is a log, SQLite takes this lock before it reads the first page. So a server is found even if that page is damaged.
    lockAlone(db);
    // Another restore may have put its file here before the lock. SQLite would write the log of that file back into this one, and remove it.
    requireSame(givenPath, path, identity);
    requireOwn(db, givenPath);
    switchOffWal(db);
    return db;
  } catch (error) {
    db.close();
    if (isDamage(error)) return undefined;
    throw isBusy(error) ? inUseError(givenPath) : unavailableFrom(error, givenPath);
  }
}

/** Keeps other programs from opening a file until the connection is closed. It writes nothing. */
function lockAlone(db: DatabaseSync): void {
  db.exec("PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK");
}

/**
 * Checks that no program has a file open that SQLite must not open beside its log, because it would replay a log of another file, for example.
 * So it gets the file by another name, beside which there is no log, and finds the locks that others have on the file.
 */
function requireClosed(givenPath: string, path: string): void {
  const name = unfinishedName(path);
  try {
    linkSync(path, name);
  } catch {
    // Without hard links, the file can have no other name, so this is not checked.
    return;
  }
  const db = new DatabaseSync(name);
  try {
    lockAlone(db);
  } catch (error) {
    // Any other failure is a fault of the file, which says nothing about other programs.
    if (isBusy(error)) throw inUseError(givenPath);
  } finally {
    db.close();
    rmSync(name, { force: true });
  }
}

function inUseError(givenPath: string): StoreUnavailableError {
  const message = `${givenPath} is open in another program; stop the servers first`;
  return new StoreUnavailableError(message, { isTemporary: true });
}

function tryReadKeys(db: DatabaseSync): StoredKey[] | undefined {
  try {
    return readKeys(db);
  } catch {
    return undefined;
  }
}

/**
 * Finds the keys that are valid in the copy of a backup and end earlier in the present file, or are not in it.
 *
 * @param copy The path of the copy, which is going to replace the present file.
 * @param present The keys of the present file.
 * @param ends Whether the keys are also changed in the copy, so that each ends as in the present file. One that the present file does not have
 * is revoked now.
 */
export function findRevivedKeys(copy: string, present: readonly StoredKey[], ends: boolean): StoredKey[] {
  const now = new Date();
  const presentById = new Map(present.map((key) => [key.id, key]));
  const db = new DatabaseSync(copy);
  try {
    const revived = readKeys(db).filter((key) => endOf(key) > +now && endOf(presentById.get(key.id)) < endOf(key));
    if (!ends) return revived;
    const update = db.prepare("UPDATE api_keys SET revoked_at = ?, expires_at = ? WHERE id = ?");
    db.exec("BEGIN");
    for (const { id } of revived) {
      const { revoked, expires } = presentById.get(id) ?? { revoked: now, expires: undefined };
      update.run(revoked?.getTime() ?? null, expires?.getTime() ?? null, id);
    }
    db.exec("COMMIT");
    return revived;
  } catch (error) {
    throw unavailableFrom(error, "The copy");
  } finally {
    db.close();
  }
}

/** When a key ends by its expiry or its revocation, in milliseconds since 1970. A key that does not exist has always ended. */
function endOf(key: StoredKey | undefined): number {
  if (!key) return -Infinity;
  return Math.min(key.revoked?.getTime() ?? Infinity, key.expires?.getTime() ?? Infinity);
}
