/**
 * Replaces an SQLite file by a checked copy of a backup. The file and its log have two names, and a system replaces one at a time, so a
 * mark beside them ends every start until the new file is on disk. The replaced file is kept under another name.
 */

import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { StoredKey } from "../key_store.ts";
import { StoreUnavailableError } from "../store.ts";
import { closeUnused, descriptorOf } from "./descriptors.ts";
import { isBusy, isDamage, unavailableFrom } from "./errors.ts";
import { hasForeignLog, inspectFiles, requireUsable } from "./file_checks.ts";
import { COMPANION_ENDS, followLinks } from "./file_names.ts";
import { readKeys } from "./keys.ts";
import { unfinishedName } from "./remains.ts";
import { requireOwn } from "./schema.ts";
import { switchOffWal } from "./transaction.ts";

/**
 * The file that a restore replaces. No other program can open it from {@link PresentFile.take} to {@link PresentFile.close}. If SQLite can
 * open the file, its log has been written back to it.
 */
export class PresentFile {
  /** The path of the file itself, without symbolic links. */
  readonly path: string;
  /** What the system says of the file; undefined if the file does not exist. */
  readonly stats: Stats | undefined;
  /** Whether there is something to replace: the file, or a log without it. */
  readonly exists: boolean;
  /** Whether there is a log that SQLite cannot write back. The file is then not whole without it. */
  readonly hasLog: boolean;
  /** The API keys of the file; undefined if they cannot be read. */
  readonly keys: StoredKey[] | undefined;
  readonly #givenPath: string;
  /** The connection that holds the lock; undefined if SQLite must not or cannot open the file. */
  readonly #db: DatabaseSync | undefined;

  private constructor(givenPath: string, path: string, db: DatabaseSync | undefined) {
    this.#givenPath = givenPath;
    this.path = path;
    this.#db = db;
    this.stats = statSync(path, { throwIfNoEntry: false });
    const hasCompanions = this.#companionEnds().length > 0;
    this.exists = this.stats !== undefined || hasCompanions;
    this.hasLog = !db && hasCompanions;
    this.keys = db && tryReadKeys(db);
  }

  /** @throws {StoreUnavailableError} If another program has the file open, or the database is that of another program. */
  static take(givenPath: string): PresentFile {
    const path = followLinks(givenPath);
    return new PresentFile(givenPath, path, openAlone(givenPath, path));
  }

  /**
   * Copies the file, and what is left of its log.
   *
   * @param name The name of an empty file for the copy.
   * @param finalName The name that the copy will have. The name of the log's copy follows from it.
   * @param signal Ends the copy with its reason.
   */
  async copy(name: string, finalName: string, signal: AbortSignal): Promise<void> {
    if (this.stats) await copyBytes(this.path, name, signal);
    // SQLite, which has the file open, has written the log back. If there is a journal, it is that of this connection.
    if (this.#db) return;
    try {
      for (const end of this.#companionEnds()) await copyBytes(this.path + end, finalName + end, signal);
    } catch (error) {
      removeLogOf(finalName);
      throw error;
    }
  }

  /**
   * Removes the log, because SQLite would replay it into the new file.
   *
   * @throws {StoreUnavailableError} If there was no file, and another program has made one since.
   */
  removeLog(): void {
    if (!this.stats && existsSync(this.path)) {
      throw new StoreUnavailableError(
        `${this.#givenPath} was made by another program meanwhile; stop the servers first`,
      );
    }
    for (const end of this.#companionEnds()) rmSync(this.path + end);
  }

  close(): void {
    this.#db?.close();
    closeUnused(this.path);
  }

  /** The ends of the names of the files that are beside this one now. */
  #companionEnds(): string[] {
    return COMPANION_ENDS.filter((end) => existsSync(this.path + end));
  }
}

/** Removes what {@link PresentFile.copy} has made: the copy of the file, and that of its log. */
export function removeCopy(name: string): void {
  rmSync(name);
  removeLogOf(name);
}

function removeLogOf(name: string): void {
  for (const end of COMPANION_ENDS) rmSync(name + end, { force: true });
}

/**
 * Opens a file with SQLite's exclusive lock, and writes its log back. The result is undefined if SQLite must not or cannot open the file:
 * it is missing, damaged, or has a log that is not its own. The caller then copies the bytes of what is there.
 *
 * @throws {StoreUnavailableError} If another program has the file open, or the database is that of another program.
 */
function openAlone(givenPath: string, path: string): DatabaseSync | undefined {
  requireUsable(givenPath, path, statSync(path, { throwIfNoEntry: false }));
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
    db.exec("PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK");
    requireOwn(db, givenPath);
    switchOffWal(db);
    return db;
  } catch (error) {
    db.close();
    if (isDamage(error)) return undefined;
    throw isBusy(error) ? inUseError(givenPath, error) : unavailableFrom(error, givenPath);
  }
}

function inUseError(givenPath: string, cause: unknown): StoreUnavailableError {
  return new StoreUnavailableError(`${givenPath} is open in another program; stop the servers first`, { cause });
}

/**
 * Checks that no program has a file open whose log belongs to another file. SQLite must not see the two together, because it would replay
 * the log. So it gets the file by another name, beside which there is no log, and finds the locks that others have on the file.
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
    db.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE; ROLLBACK");
  } catch (error) {
    // Any other failure is a fault of the file, which says nothing about other programs.
    if (isBusy(error)) throw inUseError(givenPath, error);
  } finally {
    db.close();
    rmSync(name, { force: true });
  }
}

/** How much is copied between two looks at the signal. */
const BLOCK_BYTES = 1_048_576;

/** Copies a file to the disk. The source stays open, because this process would lose its locks on a file that it closes. */
async function copyBytes(from: string, to: string, signal: AbortSignal): Promise<void> {
  const source = descriptorOf(from);
  const target = openSync(to, "w", 0o600);
  const block = new Uint8Array(BLOCK_BYTES);
  try {
    let position = 0;
    for (;;) {
      const size = readSync(source, block, 0, BLOCK_BYTES, position);
      if (size === 0) break;
      position += size;
      writeFileSync(target, block.subarray(0, size));
      fdatasyncSync(target);
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
    fsyncSync(target);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  } finally {
    closeSync(target);
  }
}

function tryReadKeys(db: DatabaseSync): StoredKey[] | undefined {
  try {
    return readKeys(db);
  } catch {
    return undefined;
  }
}
