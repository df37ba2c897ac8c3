/**
 * The header of the index of SQLite's log (`-shm`). Every commit changes it before it returns, in
 * this process or in another (https://www.sqlite.org/walformat.html, §2.1). To read it takes half a
 * microsecond, so each request can look for itself, and sees what was committed before it came. A
 * look that several requests share would be wrong: an event loop may handle a request that came
 * after the look.
 */

import { readSync } from "node:fs";
import { descriptorOf } from "./descriptors.ts";

/** The size of the header. A second copy of it follows, which only readers need that copy the pages. */
const HEADER_BYTES = 48;

export class LogIndex {
  readonly #descriptor: number;
  /** Each look reads the header into this array, so that it makes no other one, for speed. */
  readonly #header = new Int32Array(HEADER_BYTES / 4);
  readonly #lastHeader = new Int32Array(HEADER_BYTES / 4);

  private constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /**
   * Opens the index of a database that SQLite has open. It is undefined where it cannot be read,
   * for example in a worker.
   */
  static open(database: string): LogIndex | undefined {
    try {
      return new LogIndex(descriptorOf(`${database}-shm`));
    } catch {
      return undefined;
    }
  }

  /**
   * Whether there was a commit since the last call, of any connection. The first call says yes.
   *
   * @throws If the index cannot be read.
   */
  hasNewCommit(): boolean {
    const size = readSync(this.#descriptor, this.#header, 0, HEADER_BYTES, 0);
    if (size !== HEADER_BYTES) throw new Error("The index of the log is too short");
    if (areEqual(this.#header, this.#lastHeader)) return false;
    // A header that was read while a commit wrote it differs from the next one, so the next call says yes again.
    this.#lastHeader.set(this.#header);
    return true;
  }
}

function areEqual(a: Int32Array, b: Int32Array): boolean {
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return false;
  }
  return true;
}
