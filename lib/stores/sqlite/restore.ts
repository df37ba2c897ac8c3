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

export type PresentFile = ReturnType<typeof takeFile>;

/**
 * Takes the file that a restore replaces from all other programs, until `close()` is called. If SQLite can open the file, its log is
 * written back to it.
 */
export function takeFile(givenPath: string) {
  const path = followLinks(givenPath);
  const db = openAlone(givenPath, path);
  const companions = () => COMPANION_ENDS.filter((end) => existsSync(path + end));
  const stats = statSync(path, { throwIfNoEntry: false });
  return {
    path,
    /** What the system says of the file; undefined if the file does not exist. */
    stats,
    /** Whether there is something to replace: the file, or a log without it. */
    exists: stats !== undefined || companions().length > 0,
    /** Whether there is a log that SQLite cannot write back. The file is then not whole without it. */
    hasLog: !db && companions().length > 0,
    /** The API keys of the file; undefined if they cannot be read. */
    keys: db && tryReadKeys(db),
    /**
     * Copies the file, and what is left of its log.
     *
     * @param name The name of an empty file for the copy.
     * @param finalName The name that the copy will have. The name of the log's copy follows from it.
     * @param signal Ends the copy with its reason.
     */
    async copy(name: string, finalName: string, signal: AbortSignal): Promise<void> {
      if (stats) await copyBytes(path, name, signal);
      // SQLite, which has the file open, has written the log back. If there is a journal, it is that of this connection.
      if (db) return;
      try {
        for (const end of companions()) await copyBytes(path + end, finalName + end, signal);
      } catch (error) {
        removeLogOf(finalName);
        throw error;
      }
    },
    /**
     * Removes the log, because SQLite would replay it into the new file.
     *
     * @throws {StoreUnavailableError} If there was no file, and another program has made one since.
     */
    removeLog(): void {
      if (!stats && existsSync(path)) {
        throw new StoreUnavailableError(`${givenPath} was made by another program meanwhile; stop the servers first`);
      }
      for (const end of companions()) rmSync(path + end);
    },
    close(): void {
      db?.close();
      closeUnused(path);
    },
  };
}

/** Removes what `copy()` has made: the copy of the file, and that of its log. */
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

/**
 * Compares the keys of a restored copy with those of the present file. The `revived` keys are valid in the copy, and end earlier in the
 * present file, or are not in it. The `lost` keys are valid in the present file, and are not in the copy.
 *
 * @param revokesNewer Whether the revived keys are also changed in the copy, so that each ends as in the present file. One that the present
 * file does not have is revoked now.
 */
export function reconcileKeys(copy: string, present: readonly StoredKey[], revokesNewer: boolean) {
  const db = new DatabaseSync(copy);
  try {
    const restored = readKeys(db);
    const now = Date.now();
    const findPresent = (id: string) => present.find((key) => key.id === id);
    const revived = restored.filter((key) => endOf(key) > now && endOf(findPresent(key.id)) < endOf(key));
    const lost = present.filter((key) => endOf(key) > now && !restored.some(({ id }) => id === key.id));
    if (revokesNewer && revived.length > 0) {
      const update = db.prepare("UPDATE api_keys SET revoked_at = ?, expires_at = ? WHERE id = ?");
      for (const { id } of revived) {
        const { revoked, expires } = findPresent(id) ?? { revoked: new Date(now) };
        update.run(revoked?.getTime() ?? null, expires?.getTime() ?? null, id);
      }
    }
    return { revived, lost };
  } finally {
    db.close();
  }
}

/** When a key ends by its expiry or its revocation, in milliseconds since 1970. A key that does not exist has always ended. */
function endOf(key: StoredKey | undefined): number {
  if (!key) return -Infinity;
  return Math.min(key.revoked?.getTime() ?? Infinity, key.expires?.getTime() ?? Infinity);
}
