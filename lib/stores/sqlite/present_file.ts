/**
 * The file that a restore replaces. No program may have it open: a server would go on with pets of
 * which the operator does not know. SQLite may be unable to open it, because it is damaged, or has
 * the log of another file beside it.
 */

import { linkSync, rmSync, type Stats, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { StoredKey } from "../key_store.ts";
import { StoreUnavailableError } from "../store.ts";
import { closeUnused } from "./descriptors.ts";
import { isBusy, isDamage, unavailableFrom } from "./errors.ts";
import { requireSafeFiles, requireUsable } from "./file_checks.ts";
import { followLinks } from "./file_names.ts";
import { readKeys } from "./keys.ts";
import { identify, requireSame } from "./opened_files.ts";
import { requireOwn } from "./ownership.ts";
import { unfinishedName } from "./remains.ts";
import { switchOffWal } from "./transaction.ts";

export interface PresentFile {
  /** The path of the file itself, without symbolic links. The file need not exist. */
  path: string;
  /** What the system says of the file; undefined if there is none. */
  stats: Stats | undefined;
  /**
   * Whether SQLite has opened the file. It has then written the log back, so that the file is whole
   * without it, and keeps other programs from opening the file until {@link close}. Otherwise the
   * file is missing, damaged, or has a log that is not its own.
   */
  isOpen: boolean;
  /** The API keys of the file; undefined if they cannot be read. */
  keys: StoredKey[] | undefined;
  close(): void;
}

/** @throws {StoreUnavailableError} If another program has the file open, or the database is that of another program. */
export function takePresentFile(givenPath: string): PresentFile {
  const path = followLinks(givenPath);
  const stats = statSync(path, { throwIfNoEntry: false });
  requireUsable(givenPath, path, stats, "write");
  const db = stats ? openAlone(givenPath, path) : undefined;
  // The lock of `openAlone()`, by which it finds other programs, is missing then.
  if (stats && !db) requireClosed(givenPath, path);
  return {
    path,
    stats,
    isOpen: db !== undefined,
    keys: db ? tryReadKeys(db) : undefined,
    close() {
      db?.close();
      closeUnused(path);
    },
  };
}

/**
 * Opens a file with SQLite's exclusive lock, and writes its log back. The result is undefined if
 * SQLite must not or cannot open the file.
 *
 * @throws {StoreUnavailableError} If another program has the file open or has replaced it, or the
 * database is that of another program.
 */
function openAlone(givenPath: string, path: string): DatabaseSync | undefined {
  try {
    requireSafeFiles(givenPath, path, "write");
  } catch {
    // SQLite must not open this file, because it would empty it, for example, or delete its log.
    return undefined;
  }
  const identity = identify(givenPath, path);
  const db = new DatabaseSync(path);
  try {
    // If there is a log, SQLite takes this lock before it reads the first page. So a server is
    // found even if that page is damaged.
    lockAlone(db);
    // Another restore may have put its file here before the lock. SQLite would write the log of
    // that file back into this one, and remove it.
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
 * Checks that no program has a file open which SQLite must not open by its own name. By that name,
 * SQLite might replay a log of another file. So SQLite opens the file by a second name, beside
 * which there is no log. The locks of other programs are on the file itself, and are found by
 * either name.
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
