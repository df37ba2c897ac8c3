/** Whether a database's file is still the one that was opened. */

import { closeSync, existsSync, fstatSync, type FSWatcher, openSync, watch } from "node:fs";

/**
 * The descriptors of each file, by device and inode. None is closed before the last store of its file is: on POSIX
 * systems, to close any descriptor of a file drops all locks that the process has on it, SQLite's too.
 */
const descriptors = new Map<string, { stores: number; open: number[] }>();

/** An open database file. */
export class DatabaseFile {
  readonly #descriptor: number;
  readonly #identity: string;
  readonly #log: number | undefined;
  readonly #watcher: FSWatcher | undefined;
  #isMoved = false;

  /** @param path A file that exists. */
  constructor(path: string) {
    this.#descriptor = openSync(path, "r");
    const { dev, ino } = fstatSync(this.#descriptor, { bigint: true });
    this.#identity = `${dev}:${ino}`;
    const entry = descriptors.get(this.#identity) ?? { stores: 0, open: [] };
    entry.stores++;
    entry.open.push(this.#descriptor);
    descriptors.set(this.#identity, entry);
    // SQLite locks no part of the log, so this descriptor may be closed at any time. The log lasts as long as the store.
    this.#log = existsSync(`${path}-wal`) ? openSync(`${path}-wal`, "r") : undefined;
    // A file that was moved still has a name, but which one cannot be asked any more: the standalone server has given up
    // the permission to read. Of the file and not of its folder, which would tell of every write to the log.
    this.#watcher = watchMoves(path, () => this.#isMoved = true);
  }

  /**
   * Whether it or its log has been deleted, or it has been moved, or another file has taken its name: then what is
   * written to it is lost.
   */
  isGone(): boolean {
    return this.#isMoved ||
      [this.#descriptor, this.#log].some((descriptor) => descriptor !== undefined && fstatSync(descriptor).nlink === 0);
  }

  /** To be called once, when SQLite has closed the file. */
  release(): void {
    this.#watcher?.close();
    if (this.#log !== undefined) closeSync(this.#log);
    const entry = descriptors.get(this.#identity);
    if (!entry || --entry.stores > 0) return;
    descriptors.delete(this.#identity);
    for (const descriptor of entry.open) closeSync(descriptor);
  }
}

/** Tells when a file is moved or deleted, a moment later; never, where the system watches no more files. */
function watchMoves(path: string, tell: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, { persistent: false }, (event) => event === "rename" && tell());
    watcher.on("error", () => {});
    return watcher;
  } catch {
    return undefined;
  }
}
