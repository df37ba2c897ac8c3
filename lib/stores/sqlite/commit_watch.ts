/**
 * Tells whether any connection has committed since the last look, in this process or in another. SQLite keeps a header at the beginning
 * of the index of its log (`-shm`), and every commit changes it before it returns (https://www.sqlite.org/walformat.html, §2.1). To read
 * these bytes takes about a microsecond, so each request can look for itself, and sees what was committed before it came. A look that
 * several requests share would be wrong: an event loop may handle a request that came after the look.
 */

import { readSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { descriptorOf } from "./descriptors.ts";
import type { OpenedFiles } from "./opened_files.ts";

/** The size of the header. A second copy of it follows, which only readers need that copy the pages. */
const HEADER_BYTES = 48;

/** The header has the number of pages in the log in the word of four bytes with this number. */
const PAGES_WORD = 4;

export class CommitWatch {
  readonly #selectVersion: StatementSync;
  readonly #selectOwnChanges: StatementSync;
  /** The descriptor of the index. It is undefined for a database in memory, and where the index cannot be read. */
  readonly #index: number | undefined;
  /** Each look reads the header into this array, so that it makes no other one, for speed. */
  readonly #header = new Int32Array(HEADER_BYTES / 4);
  readonly #lastHeader = new Int32Array(HEADER_BYTES / 4);
  /** What SQLite said at the last look. It is asked only if there is no index. */
  #lastVersion: unknown;
  #lastOwnChanges: unknown;

  constructor(db: DatabaseSync, files: OpenedFiles | undefined) {
    this.#selectVersion = db.prepare("PRAGMA data_version");
    this.#selectOwnChanges = db.prepare("SELECT total_changes() AS count");
    this.#index = files && openIndex(files);
  }

  /**
   * Whether the index can be read. With it, a look sees the commits of other connections also within a transaction. Without it, a look within
   * a transaction sees none of them.
   */
  get hasIndex(): boolean {
    return this.#index !== undefined;
  }

  /**
   * Whether there was a commit since the last call, of any connection, the own one included. The first call says yes.
   *
   * @throws If the file cannot be read.
   */
  hasNew(): boolean {
    return this.#index === undefined ? this.#hasNewVersion() : this.#hasNewHeader(this.#index);
  }

  /**
   * How many pages the log has. The commit that finds more than a thousand writes them back to the file, as far as readers permit. The
   * number is undefined if there is no index.
   *
   * @throws If the index cannot be read.
   */
  pagesInLog(): number | undefined {
    return this.#index === undefined ? undefined : this.#readHeader(this.#index)[PAGES_WORD]!;
  }

  #readHeader(index: number): Int32Array {
    const header = this.#header;
    const size = readSync(index, header, 0, HEADER_BYTES, 0);
    if (size !== HEADER_BYTES) throw new Error("The index of the log is too short");
    return header;
  }

  #hasNewHeader(index: number): boolean {
    const header = this.#readHeader(index);
    const last = this.#lastHeader;
    let isNew = false;
    for (let i = 0; i < header.length; i++) {
      if (header[i] !== last[i]) isNew = true;
    }
    // A header that was read while a commit wrote it differs from the next one, so the next call says yes again.
    if (isNew) last.set(header);
    return isNew;
  }

  #hasNewVersion(): boolean {
    // The version changes with each commit of another connection, and the count with each row that this one or a trigger has changed.
    const version = this.#selectVersion.get()?.["data_version"];
    const ownChanges = this.#selectOwnChanges.get()?.["count"];
    if (version === this.#lastVersion && ownChanges === this.#lastOwnChanges) return false;
    this.#lastVersion = version;
    this.#lastOwnChanges = ownChanges;
    return true;
  }
}

function openIndex({ path }: OpenedFiles): number | undefined {
  try {
    return descriptorOf(`${path}-shm`);
  } catch {
    // The index of the log cannot be read, for example because no descriptor is free or this is a worker. The caller then asks SQLite.
    return undefined;
  }
}
