/**
 * The files of a database that SQLite has opened: whether they are still in their place, and how
 * this program reads them beside SQLite.
 */

import { closeSync, existsSync, fstatSync, openSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import process from "node:process";
import { isMainThread } from "node:worker_threads";
import { StoreUnavailableError } from "../store.ts";

/** The device and the inode of a file. Another file that takes the place of this one has others. */
export type Identity = { dev: bigint; ino: bigint };

/** The files of a database that SQLite has opened, as they were when it had opened them. */
export interface OpenedFiles {
  /** The path in the operator's words, for messages. */
  givenPath: string;
  /** The path of the file itself, without symbolic links. */
  path: string;
  /** What identifies each file: the database, its log, the index of that, and a link that leads to the database. */
  identities: readonly [name: string, identity: Identity][];
}

/** Identifies the files of a database. Call it when SQLite has opened the database and its log. */
export function identifyFiles(givenPath: string, path: string): OpenedFiles {
  // The given path is watched too: if a link in it changes, the next start opens another file.
  const absolute = isAbsolute(givenPath) ? givenPath : `${process.cwd()}/${givenPath}`;
  const names = new Set([path, `${path}-wal`, `${path}-shm`, absolute]);
  return { givenPath, path, identities: [...names].map((name) => [name, identify(givenPath, name)]) };
}

/**
 * Checks the files of a database. One in memory has none.
 *
 * @throws {StoreUnavailableError} If a file has been deleted, moved or replaced.
 */
export function requireInPlace(files: OpenedFiles | undefined): void {
  if (!files) return;
  for (const [name, identity] of files.identities) requireSame(files.givenPath, name, identity);
}

/** @throws {StoreUnavailableError} If the name is not that of the identified file any more. */
export function requireSame(givenPath: string, name: string, { dev, ino }: Identity): void {
  const now = identify(givenPath, name);
  if (now.dev !== dev || now.ino !== ino) throw notInPlace(givenPath);
}

/** @throws {StoreUnavailableError} If there is no such file, or the system cannot tell. */
export function identify(givenPath: string, name: string): Identity {
  try {
    const { dev, ino } = statSync(name, { bigint: true });
    return { dev, ino };
  } catch (cause) {
    throw notInPlace(givenPath, cause);
  }
}

function notInPlace(givenPath: string, cause?: unknown): StoreUnavailableError {
  const message = `${givenPath} or a file beside it has been deleted, moved or replaced; restart with the right file`;
  return new StoreUnavailableError(message, { cause });
}

// On POSIX systems, a process that closes any descriptor of a file loses all its locks on that
// file, also those of SQLite, and another program would then delete a log that is in use
// (https://www.sqlite.org/howtocorrupt.html, §2.2). So this program opens the database, and the
// index of its log, only by `descriptorOf()`: each is opened once, and is closed only when no
// program has the database open any more. SQLite shows that by deleting the index.

/**
 * Whether this thread may end before its process. The runtime then closes the descriptors of the
 * thread, so it must open none of these files: a store in another thread would lose its locks. Deno
 * gives no other sign of its threads than the class of their global object.
 */
export const IS_WORKER: boolean = !isMainThread || "WorkerGlobalScope" in globalThis;

/** The open descriptors, by the path of the file. */
const OPEN_DESCRIPTORS = new Map<string, number>();

/**
 * Returns a descriptor for reading, which the caller must not close.
 *
 * @throws If the file cannot be opened, also because this is a {@link IS_WORKER | worker}.
 */
export function descriptorOf(path: string): number {
  if (IS_WORKER) throw new Error("A thread that may end earlier than its process opens no such file");
  const known = OPEN_DESCRIPTORS.get(path);
  if (known !== undefined && isSameFile(known, path)) return known;
  // The descriptor of a file that was replaced stays open, because a connection may still use it.
  const descriptor = openSync(path, "r");
  OPEN_DESCRIPTORS.set(path, descriptor);
  return descriptor;
}

/** Closes the descriptors of a database, unless a program still has it open. */
export function closeUnused(database: string): void {
  const index = `${database}-shm`;
  if (existsSync(index)) return;
  for (const path of [database, index]) {
    const descriptor = OPEN_DESCRIPTORS.get(path);
    OPEN_DESCRIPTORS.delete(path);
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function isSameFile(descriptor: number, path: string): boolean {
  const opened = fstatSync(descriptor, { bigint: true });
  const now = statSync(path, { bigint: true });
  return opened.dev === now.dev && opened.ino === now.ino;
}
