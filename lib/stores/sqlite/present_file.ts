/**
 * The file that a restore replaces. No program may have it open: a server would go on with pets of
 * which the operator does not know. SQLite may be unable to open it, because it is damaged, or has
 * the log of another file beside it.
 */

import { type Stats, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { StoredKey } from "../key_store.ts";
import { StoreUnavailableError } from "../store.ts";
import { closeUnused, identify, requireSame } from "./opened_files.ts";
import { isBusy, isDamage, unavailableFrom } from "./errors.ts";
import { requireSafeFiles, requireUsable } from "./file_checks.ts";
import { followLinks } from "./file_names.ts";
import { readKeys } from "./keys.ts";
import { requireOwn } from "./schema.ts";
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
  return {
    path,
    stats,
    isOpen: db !== undefined,
    keys: db && tryReadKeys(db),
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
    // Whether another program has it open is then not known.
    return undefined;
  }
  const identity = identify(givenPath, path);
  const db = new DatabaseSync(path);
  try {
    // If there is a log, SQLite takes this lock before it reads the first page. So a server is
    // found even if that page is damaged.
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK");
    // Another restore may have put its file here before the lock. SQLite would write the log of
    // that file back into this one, and remove it.
    requireSame(givenPath, path, identity);
    requireOwn(db, givenPath);
    switchOffWal(db);
    return db;
  } catch (error) {
    db.close();
    if (isDamage(error)) return undefined;
    if (!isBusy(error)) throw unavailableFrom(error, givenPath);
    const message = `${givenPath} is open in another program; stop the servers first`;
    throw new StoreUnavailableError(message, { isTemporary: true });
  }
}

function tryReadKeys(db: DatabaseSync): StoredKey[] | undefined {
  try {
    return readKeys(db);
  } catch {
    return undefined;
  }
}
