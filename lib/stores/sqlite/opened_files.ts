/** Finds out whether the files of a database are still those that SQLite has opened. */

import { type BigIntStats, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import process from "node:process";
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
  if (now.dev !== dev || now.ino !== ino) throwNotInPlace(givenPath);
}

/** @throws {StoreUnavailableError} If there is no such file, or the system cannot tell. */
export function identify(givenPath: string, name: string): Identity {
  let stats: BigIntStats | undefined;
  try {
    stats = statSync(name, { bigint: true, throwIfNoEntry: false });
  } catch (cause) {
    throw new StoreUnavailableError(`Cannot check whether ${givenPath} is still in its place`, { cause });
  }
  if (stats === undefined) throwNotInPlace(givenPath);
  return { dev: stats.dev, ino: stats.ino };
}

function throwNotInPlace(givenPath: string): never {
  throw new StoreUnavailableError(
    `${givenPath} or a file beside it has been deleted, moved or replaced; restart with the right file`,
  );
}
