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
import { explain, isBusy, isDamage } from "./errors.ts";
import { COMPANIONS, followLinks, hasForeignLog, inspectFiles, requireRegular } from "./file.ts";
import { readKeys } from "./keys.ts";
import { unfinishedName } from "./remains.ts";
import { requireOwn } from "./schema.ts";
import { leaveLog } from "./transaction.ts";

export type PresentFile = ReturnType<typeof takeFile>;

/** Takes a file from all other programs until it is closed, and writes its log back, if SQLite can open it. */
export function takeFile(givenPath: string) {
  const path = followLinks(givenPath);
  const db = openAlone(givenPath, path);
  const companions = () => COMPANIONS.filter((end) => existsSync(path + end));
  const stats = statSync(path, { throwIfNoEntry: false });
  return {
    path,
    stats,
    exists: stats !== undefined || companions().length > 0,
    /** Whether there is a log that SQLite cannot write back. The file is then not whole without it. */
    hasLog: !db && companions().length > 0,
    keys: db && tryReadKeys(db),
    /**
     * Copies the file, and what is left of its log.
     *
     * @param name The name of an empty file for the copy.
     * @param finalName The name that the copy will have. That of the log follows from it.
     * @param signal Ends the copy with its reason.
     */
    async copy(name: string, finalName: string, signal: AbortSignal): Promise<void> {
      if (stats) await copyBytes(path, name, signal);
      // SQLite has written the log back, and a journal that is there is its own.
      if (db) return;
      try {
        for (const end of companions()) await copyBytes(path + end, finalName + end, signal);
      } catch (error) {
        removeLogOf(finalName);
        throw error;
      }
    },
    /**
     * Removes the log, which SQLite would otherwise replay into the new file. Throws if another program has made the
     * file since.
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

/** Removes a copy that was made, and that of what was left of the file's log. */
export function removeCopy(name: string): void {
  rmSync(name);
  removeLogOf(name);
}

function removeLogOf(name: string): void {
  for (const end of COMPANIONS) rmSync(name + end, { force: true });
}

/**
 * Opens a file with SQLite's exclusive lock, and writes its log back. The result is undefined if SQLite must not or cannot open the file: it
 * is missing, damaged, or has a log that is not its own. The caller then copies the bytes of what is there.
 *
 * @throws {StoreUnavailableError} If another program has the file open, or it is of another program.
 */
function openAlone(givenPath: string, path: string): DatabaseSync | undefined {
  requireRegular(givenPath, path, statSync(path, { throwIfNoEntry: false }));
  if (hasForeignLog(path)) {
    requireClosed(givenPath, path);
    return undefined;
  }
  try {
    // SQLite would empty some files, or delete their logs.
    if (!inspectFiles(givenPath, path)) return undefined;
  } catch {
    return undefined;
  }
  const db = new DatabaseSync(path);
  try {
    // If there is a log, SQLite takes this lock before it reads the first page. So a server is found even if that is damaged.
    db.exec("PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK");
    requireOwn(db, givenPath);
    leaveLog(db);
    return db;
  } catch (error) {
    db.close();
    if (isDamage(error)) return undefined;
    throw isBusy(error) ? inUse(givenPath, error) : explain(error, givenPath);
  }
}

function inUse(givenPath: string, cause: unknown): StoreUnavailableError {
  return new StoreUnavailableError(`${givenPath} is open in another program; stop the servers first`, { cause });
}

/**
 * Checks that no program has a file open whose log belongs to another file. SQLite must not see both, because it would replay the log. By
 * another name, it sees the file alone, and finds the locks that others have on it.
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
    if (isBusy(error)) throw inUse(givenPath, error);
  } finally {
    db.close();
    rmSync(name, { force: true });
  }
}

/** How much is copied between two looks at the signal, in bytes. */
const BLOCK = 1_048_576;

/** Copies a file to the disk. The source stays open, because this process would lose its locks on a file that it closes. */
async function copyBytes(from: string, to: string, signal: AbortSignal): Promise<void> {
  const source = descriptorOf(from), target = openSync(to, "w", 0o600);
  const block = new Uint8Array(BLOCK);
  try {
    for (let position = 0, size; (size = readSync(source, block, 0, BLOCK, position)) > 0; position += size) {
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
 * Finds the keys that a restore of the copy makes valid again, and the valid ones that the copy lacks.
 *
 * @param revokesNewer Whether it also writes into the copy that the first ones end as in the present file. One that the present file does
 * not have is revoked now.
 */
export function reconcileKeys(copy: string, present: readonly StoredKey[], revokesNewer: boolean) {
  const db = new DatabaseSync(copy);
  try {
    const restored = readKeys(db);
    const now = Date.now();
    const find = (id: string) => present.find((key) => key.id === id);
    const revived = restored.filter((key) => endOf(key) > now && endOf(find(key.id)) < endOf(key));
    if (revokesNewer && revived.length > 0) {
      const end = db.prepare("UPDATE api_keys SET revoked_at = ?, expires_at = ? WHERE id = ?");
      for (const { id } of revived) {
        const { revoked, expires } = find(id) ?? { revoked: new Date(now) };
        end.run(revoked?.getTime() ?? null, expires?.getTime() ?? null, id);
      }
    }
    return { revived, lost: present.filter((key) => endOf(key) > now && !restored.some(({ id }) => id === key.id)) };
  } finally {
    db.close();
  }
}

/** When a key ends. One that does not exist has always ended. */
function endOf(key: StoredKey | undefined): number {
  if (!key) return -Infinity;
  return Math.min(key.revoked?.getTime() ?? Infinity, key.expires?.getTime() ?? Infinity);
}
