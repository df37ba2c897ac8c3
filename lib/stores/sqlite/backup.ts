/**
 * Copies an SQLite file while servers use it, and checks the copy. The copy shows one moment, and
 * has every pet that was acknowledged before it began.
 */

import * as sqlite from "node:sqlite";
import { closeSync, fdatasyncSync, openSync, statSync } from "node:fs";
import { StoreUnavailableError } from "../store.ts";
import { type FoundDatabase, inspectFound, readSnapshot } from "./inspection.ts";
import { unavailableFrom } from "./errors.ts";
import { switchOffWal } from "./transaction.ts";

/** What a copy has, after its check. */
export interface Backup {
  pets: bigint;
  bytes: number;
}

/**
 * Tells a copy to stop. An `AbortSignal` cannot, because the thread that copies handles no event
 * before it has ended. The number is in memory that both threads share, and is 0 until the copy
 * must stop.
 */
export type StopFlag = Int32Array<SharedArrayBuffer>;

/**
 * Copies a snapshot of a database into an empty file, and checks the copy. See backup_thread.ts for
 * a copy that a signal can end.
 *
 * @param stop Ends the copy between two steps. No file is open then, and none is made any more.
 */
export async function backupDatabase(
  source: FoundDatabase,
  copy: string,
  stop: StopFlag,
): Promise<Backup> {
  const path = source.givenPath;
  try {
    throwIfStopped(stop);
    // The copy is made in one transaction, because SQLite would begin it anew whenever a server adds a pet in between.
    await readSnapshot(source, async (db) => {
      await copyPages(db, copy, stop).catch((error) => {
        throw unavailableFrom(error, `The copy of ${path}`);
      });
    });
    throwIfStopped(stop);
    makeReadable(copy);
    throwIfStopped(stop);
    const pets = await requireSound(copy, source);
    return { pets, bytes: statSync(copy).size };
  } catch (error) {
    throw unavailableFrom(error, path);
  }
}

export function createStopFlag(): StopFlag {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** Stops a copy before its next step. A pause between two steps ends at once. */
export function stopCopy(stop: StopFlag): void {
  Atomics.store(stop, 0, 1);
  Atomics.notify(stop, 0);
}

function throwIfStopped(stop: StopFlag): void {
  if (Atomics.load(stop, 0) !== 0) throw new Error("The copy was told to stop");
}

/** How many pages a step copies: one megabyte. */
const PAGES_PER_STEP = 256;

/** SQLite's own function for a copy. Node before 22.16 and Bun lack it. */
const backup = (sqlite as { backup?: typeof sqlite.backup }).backup;

/**
 * Copies the pages in steps. Each step is synced, and a pause of the same length follows, so that
 * the creates of servers do not wait for the sync of a whole copy.
 */
async function copyPages(db: sqlite.DatabaseSync, copy: string, stop: StopFlag): Promise<void> {
  if (!backup) throw new StoreUnavailableError("This runtime has no backup(); use Deno, or Node 22.16 or later");
  const file = openSync(copy, "r+");
  let stepStartedAt = performance.now();
  /** SQLite calls this after each step. An error that it throws ends the copy. */
  const progress = () => {
    fdatasyncSync(file);
    // The pause is as long as the step was, but ends when the copy is told to stop.
    Atomics.wait(stop, 0, 0, performance.now() - stepStartedAt);
    throwIfStopped(stop);
    stepStartedAt = performance.now();
  };
  try {
    await backup(db, copy, { rate: PAGES_PER_STEP, progress });
  } finally {
    closeSync(file);
  }
}

/**
 * Switches the copy to a rollback journal, so that it can be read on a read-only mount: to read a
 * file with a write-ahead log, SQLite makes files beside it.
 */
function makeReadable(copy: string): void {
  const db = new sqlite.DatabaseSync(copy);
  try {
    switchOffWal(db);
  } catch {
    // The copy is damaged. The check of it, which follows, says how.
  } finally {
    db.close();
  }
}

/** Checks that the copy is sound. A copy has the faults of its source, so the messages name that. */
async function requireSound(copy: string, { givenPath }: FoundDatabase): Promise<bigint> {
  const { pets, faults } = await inspectFound({ givenPath, path: copy });
  if (faults.length === 0) return pets;
  throw new StoreUnavailableError(`${givenPath} is not sound: ${faults[0]}; petstore check shows all faults`);
}
