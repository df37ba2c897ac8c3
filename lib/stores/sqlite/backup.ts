/**
 * Copies an SQLite file while servers use it, and checks the copy. The copy shows one moment, and has every pet that was acknowledged
 * before it began.
 */

import * as sqlite from "node:sqlite";
import { closeSync, fdatasyncSync, openSync, statSync } from "node:fs";
import { StoreUnavailableError } from "../store.ts";
import { requireOwnName } from "./file.ts";
import { countPets, type FoundDatabase, inspectOwnFile, readFoundSnapshot } from "./inspection.ts";
import { explain } from "./errors.ts";
import { requireTables } from "./schema.ts";
import { leaveLog } from "./transaction.ts";

/** How many pages a step copies: one megabyte. */
const RATE = 256;

/** The function that Node before 22.16 and Bun lack. */
const backup = (sqlite as { backup?: typeof sqlite.backup }).backup;

/** A copy that was checked. */
export interface Backup {
  pets: bigint;
  bytes: number;
}

/**
 * Tells a copy to stop. An `AbortSignal` cannot, because the thread that copies handles no event before it has ended. The number is in
 * memory that both threads share, and is 0 until the copy must stop.
 */
export type StopFlag = Int32Array<SharedArrayBuffer>;

export function createStopFlag(): StopFlag {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** Stops a copy before its next step. A pause between two steps ends at once. */
export function raise(stop: StopFlag): void {
  Atomics.store(stop, 0, 1);
  Atomics.notify(stop, 0);
}

function requireNoStop(stop: StopFlag): void {
  if (Atomics.load(stop, 0) !== 0) throw new Error("The copy was told to stop");
}

/**
 * Copies a snapshot of a database into an empty file, and checks the copy. See backup_thread.ts for a copy that a signal can end.
 *
 * @param stop Ends the copy between two steps. No file is open then, and none is made any more.
 */
export async function backupDatabase(
  source: FoundDatabase,
  copy: string,
  stop: StopFlag = createStopFlag(),
): Promise<Backup> {
  const path = source.givenPath;
  try {
    requireNoStop(stop);
    requireOwnName(copy);
    // The copy is made in one transaction. Otherwise it would start again whenever a server adds a pet.
    const pets = await readFoundSnapshot(source, async (db) => {
      requireTables(db, path);
      await copyPages(db, copy, stop).catch((error) => {
        throw explain(error, `The copy of ${path}`);
      });
      return countPets(db);
    });
    requireNoStop(stop);
    makeReadable(copy);
    requireNoStop(stop);
    await requireSound(copy, pets, source);
    return { pets, bytes: statSync(copy).size };
  } catch (error) {
    throw explain(error, path);
  }
}

/**
 * Copies the pages in steps. Each step is synced, and a pause of the same length follows, so that the creates of servers do not wait for the
 * sync of a whole copy.
 */
async function copyPages(db: sqlite.DatabaseSync, copy: string, stop: StopFlag): Promise<void> {
  if (!backup) throw new StoreUnavailableError("This runtime has no backup(); use Deno, or Node 22.16 or later");
  const file = openSync(copy, "r+");
  let startedAt = performance.now();
  const progress = () => {
    fdatasyncSync(file);
    // The wait ends when the flag is raised. An error that is thrown here ends the copy.
    Atomics.wait(stop, 0, 0, performance.now() - startedAt);
    requireNoStop(stop);
    startedAt = performance.now();
  };
  try {
    await backup(db, copy, { rate: RATE, progress });
  } finally {
    closeSync(file);
  }
}

/**
 * Switches the copy to a rollback journal. With a log, SQLite would have to make files beside it, and could not read it on a read-only
 * mount.
 */
function makeReadable(copy: string): void {
  const db = new sqlite.DatabaseSync(copy);
  try {
    leaveLog(db);
  } catch {
    // The check of the copy will find the damage.
  } finally {
    db.close();
  }
}

/**
 * Checks that the copy is sound and has all pets. If not, the source is checked too: a copy has the damage of its source, and the message
 * must name the right file.
 */
async function requireSound(copy: string, expectedPets: bigint, { givenPath, file }: FoundDatabase): Promise<void> {
  const { pets, faults } = await inspectOwnFile(copy).catch(({ message }) => ({ pets: 0n, faults: [message] }));
  if (faults.length > 0) {
    const source = await inspectOwnFile(file);
    if (source.faults.length > 0) {
      throw new StoreUnavailableError(
        `${givenPath} is not sound: ${source.faults[0]}; petstore check shows all faults`,
      );
    }
    throw new StoreUnavailableError(`The copy is not sound: ${faults[0]}`);
  }
  if (pets !== expectedPets) throw new StoreUnavailableError(`The copy has ${pets} pets instead of ${expectedPets}`);
}
