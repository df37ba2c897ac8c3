/**
 * Descriptors of the files that SQLite may have open too: the database, and the index of its log. On POSIX systems, a process that
 * closes any descriptor of a file loses all its locks on that file, also those of SQLite, and another program would then delete a log
 * that is in use (https://www.sqlite.org/howtocorrupt.html, §2.2). So a file is opened once, and is closed only when no program has the
 * database open any more. SQLite shows that by deleting the index.
 */

import { closeSync, existsSync, fstatSync, openSync, statSync } from "node:fs";

/** The open descriptors, by the path of the file. */
const OPEN = new Map<string, number>();

/**
 * A descriptor for reading, which the caller must not close.
 *
 * @throws If the file cannot be opened.
 */
export function descriptorOf(path: string): number {
  const known = OPEN.get(path);
  if (known !== undefined && isSameFile(known, path)) return known;
  // The descriptor of a file that was replaced stays open, because a connection may still use it.
  const descriptor = openSync(path, "r");
  OPEN.set(path, descriptor);
  return descriptor;
}

/** Closes the descriptors of a database, unless a program still has it open. */
export function closeUnused(database: string): void {
  const index = `${database}-shm`;
  if (existsSync(index)) return;
  for (const path of [database, index]) {
    const descriptor = OPEN.get(path);
    OPEN.delete(path);
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function isSameFile(descriptor: number, path: string): boolean {
  const opened = fstatSync(descriptor, { bigint: true }), now = statSync(path, { bigint: true });
  return opened.dev === now.dev && opened.ino === now.ino;
}
