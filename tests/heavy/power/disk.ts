/**
 * What a disk may hold after a kill or a loss of power. What was synced is there: the bytes of a
 * file after a sync of the file, a name after a sync of its folder. Of the later changes some may
 * be lost. A write is lost as a whole, because what a torn write does to a database is SQLite's
 * promise, and no code of this project writes to a file twice.
 */

import { createHash } from "node:crypto";
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a name of a folder stands for. Other names stand for a file, such as "file 3". */
export const FOLDER = "folder";

/** A change of what names stand for, or of the bytes of a file. */
export type Change =
  | { names: Record<string, string | undefined> }
  | { file: string; start: number; bytes: Uint8Array }
  | { file: string; size: number };

/** The places of which one must be synced, so that a change is on the disk. */
function placesOf(change: Change): string[] {
  return "names" in change ? Object.keys(change.names).map((name) => `folder ${dirname(name)}`) : [change.file];
}

export class Disk {
  /** What is certainly on the disk. */
  readonly #synced = new Files();
  /** The changes that may be lost, in their order. */
  #pending: Change[] = [];

  change(change: Change): void {
    this.#pending.push(change);
  }

  sync(place: string): void {
    const isSynced = (change: Change) => placesOf(change).includes(place);
    for (const change of this.#pending.filter(isSynced)) this.#synced.apply(change);
    this.#pending = this.#pending.filter((change) => !isSynced(change));
  }

  /** What the disk may hold if a kill or a loss of power comes now, each time with the changes that are lost. */
  *states(): Generator<{ lost: readonly Change[]; files: Files }> {
    for (const lost of this.#losses()) {
      const files = this.#synced.copy();
      for (const change of this.#pending) if (!lost.includes(change)) files.apply(change);
      yield { lost, files };
    }
  }

  /**
   * Nothing is lost, or one change of names, or all bytes of one file, or everything from one
   * change on, as after a kill.
   */
  *#losses(): Generator<readonly Change[]> {
    yield [];
    const parts = Map.groupBy(this.#pending, (change) => "names" in change ? change : change.file);
    yield* parts.values();
    for (const [i, change] of this.#pending.entries()) {
      // Of several changes of one file in a row, all are lost or none.
      const before = this.#pending[i - 1];
      const isInRow = before && "file" in before && "file" in change && before.file === change.file;
      if (!isInRow) yield this.#pending.slice(i);
    }
  }
}

/** The files of a folder. */
export class Files {
  readonly #names = new Map<string, string>();
  readonly #bytes = new Map<string, Uint8Array>();

  copy(): Files {
    const copy = new Files();
    for (const [name, file] of this.#names) copy.#names.set(name, file);
    for (const [file, bytes] of this.#bytes) copy.#bytes.set(file, bytes);
    return copy;
  }

  apply(change: Change): void {
    if ("names" in change) {
      for (const [name, file] of Object.entries(change.names)) {
        if (file === undefined) this.#names.delete(name);
        else this.#names.set(name, file);
      }
      return;
    }
    const before = this.#bytesOf(change.file);
    const size = "size" in change ? change.size : Math.max(before.length, change.start + change.bytes.length);
    const after = new Uint8Array(size);
    after.set(before.subarray(0, size));
    if ("bytes" in change) after.set(change.bytes, change.start);
    this.#bytes.set(change.file, after);
  }

  #bytesOf(file: string): Uint8Array {
    return this.#bytes.get(file) ?? new Uint8Array();
  }

  /** Writes the files into an empty folder. */
  write(folder: string): void {
    const written = new Map<string, string>();
    for (const [name, file] of this.#list()) {
      const path = join(folder, name), sameFile = written.get(file);
      if (file === FOLDER) mkdirSync(path);
      else if (sameFile !== undefined) linkSync(sameFile, path);
      else writeFileSync(path, this.#bytesOf(file), { mode: 0o600 });
      if (file !== FOLDER) written.set(file, path);
    }
  }

  /** A line for each name, with the digest of the bytes. Equal files have equal lines. */
  get digests(): string[] {
    return this.#list().map(([name, file]) => digest(name, file === FOLDER ? undefined : this.#bytesOf(file))).sort();
  }

  /** The names that can be reached, and what they stand for. A folder comes before what is in it. */
  #list(): [name: string, file: string][] {
    const folders = new Set(["."]);
    const listed: [string, string][] = [];
    for (const [name, file] of [...this.#names].sort()) {
      if (!folders.has(dirname(name))) continue;
      listed.push([name, file]);
      if (file === FOLDER) folders.add(name);
    }
    return listed;
  }
}

/** The digests of the files that a folder has, as `Files` makes them. The index of a log is not recorded. */
export function readDigests(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter(({ name }) => !name.endsWith("-shm")).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return digest(path.slice(folder.length + 1), entry.isDirectory() ? undefined : readFileSync(path));
  }).sort();
}

function digest(name: string, bytes: Uint8Array | undefined): string {
  return `${name} ${bytes ? createHash("sha256").update(bytes).digest("hex") : FOLDER}`;
}
