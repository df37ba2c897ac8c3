/** Whether a database's file is still the one that was opened. */

import { closeSync, fstatSync, openSync } from "node:fs";

/**
 * The descriptors of each file, by device and inode. None is closed before the last store of its file is: on POSIX
 * systems, to close any descriptor of a file drops all locks that the process has on it, SQLite's too.
 */
const descriptors = new Map<string, { stores: number; open: number[] }>();

/** An open database file. */
export class DatabaseFile {
  readonly #descriptor: number;
  readonly #identity: string;

  /** @param path A file that exists. */
  constructor(path: string) {
    this.#descriptor = openSync(path, "r");
    const { dev, ino } = fstatSync(this.#descriptor, { bigint: true });
    this.#identity = `${dev}:${ino}`;
    const entry = descriptors.get(this.#identity) ?? { stores: 0, open: [] };
    entry.stores++;
    entry.open.push(this.#descriptor);
    descriptors.set(this.#identity, entry);
  }

  /** Whether it has been deleted, or another file has taken its name: then what is written to it is lost. */
  isGone(): boolean {
    return fstatSync(this.#descriptor).nlink === 0;
  }

  /** To be called once, when SQLite has closed the file. */
  release(): void {
    const entry = descriptors.get(this.#identity);
    if (!entry || --entry.stores > 0) return;
    descriptors.delete(this.#identity);
    for (const descriptor of entry.open) closeSync(descriptor);
  }
}
