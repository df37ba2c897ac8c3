/**
 * Copies an SQLite file while servers use it, and checks the copy. The copy shows one moment, and
 * has every pet that was acknowledged before it began.
 *
 * A thread makes the copy. `backup()` on Deno and the check of the copy block their thread for as
 * long as they take, and a process whose main thread is blocked notices no signal.
 */

import { closeSync, fdatasyncSync, openSync, statSync } from "node:fs";
import * as sqlite from "node:sqlite";
import { resolvesWithin, untilAborted } from "../../promises.ts";
import { StoreUnavailableError } from "../store.ts";
import { unavailableFrom } from "./errors.ts";
import { findDatabase, type FoundDatabase, inspectContents, readSnapshot } from "./inspection.ts";
import { answerRequests, startThread } from "./thread.ts";
import { switchOffWal } from "./transaction.ts";

/**
 * How long an aborted copy may take to end by itself. A call of SQLite in the thread cannot be
 * interrupted: a check of a large copy takes longer, but it only reads.
 */
const END_TIMEOUT_MS = 300;

/** What a copy has, after its check. */
interface Backup {
  pets: bigint;
  bytes: number;
}

/** What the thread is asked for. */
interface CopyRequest {
  copy: string;
  /**
   * Tells the copy to stop. An `AbortSignal` cannot, because the thread that copies handles no event
   * before it has ended. The number is in memory that both threads share, and is 0 until the copy
   * must stop.
   */
  stop: Int32Array<SharedArrayBuffer>;
}

/**
 * Copies a snapshot of a database into an empty file, and checks the copy.
 *
 * @throws {StoreUnavailableError} If the database cannot be copied, or the copy is not sound.
 * @throws The reason of the signal, if it is aborted before the end. The copy is then unfinished.
 */
export async function backupUntilAborted(path: string, copy: string, signal: AbortSignal): Promise<Backup> {
  const source = findDatabase(path);
  const request: CopyRequest = { copy, stop: new Int32Array(new SharedArrayBuffer(4)) };
  const thread = startThread<CopyRequest, Backup>(import.meta.url, source);
  if (!thread) return await makeBackup(request, source);
  const copied = thread.ask(request);
  try {
    return await untilAborted(signal, copied);
  } finally {
    // The caller removes an unfinished copy. The thread must have ended before that, because SQLite
    // makes a file that is missing, and a journal beside it. Deno's `terminate()` does not wait for
    // a call that is running.
    Atomics.store(request.stop, 0, 1);
    Atomics.notify(request.stop, 0);
    await resolvesWithin(END_TIMEOUT_MS, copied.then(() => {}, () => {}));
    await resolvesWithin(END_TIMEOUT_MS, thread.end());
  }
}

/** The first function that the thread calls. */
export function runInThread(): void {
  answerRequests(makeBackup);
}

/** Makes and checks the copy. If it is told to stop, it does so before its next step, and then no file is open. */
async function makeBackup({ copy, stop }: CopyRequest, source: FoundDatabase): Promise<Backup> {
  // The copy is made in one transaction, because SQLite would begin it anew whenever a server adds a pet in between.
  await readSnapshot(source, async (db) => {
    await copyPages(db, copy, stop).catch((error) => {
      throw unavailableFrom(error, `The copy of ${source.givenPath}`);
    });
  });
  throwIfStopped(stop);
  makeReadable(copy);
  throwIfStopped(stop);
  const pets = await requireSound(copy, source);
  return { pets, bytes: statSync(copy).size };
}

function throwIfStopped(stop: CopyRequest["stop"]): void {
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
async function copyPages(db: sqlite.DatabaseSync, copy: string, stop: CopyRequest["stop"]): Promise<void> {
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
  const { pets, faults } = await readSnapshot({ givenPath, path: copy }, inspectContents);
  if (faults.length === 0) return pets;
  throw new StoreUnavailableError(`${givenPath} is not sound: ${faults[0]}; petstore check shows all faults`);
}
