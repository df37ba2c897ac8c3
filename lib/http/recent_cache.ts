/**
 * A cache within a limit of bytes, which drops the values that were not asked for lately.
 *
 * Its values are in two halves. A value that is set or found goes to the newer half. When that is
 * full, it becomes the older half, and what is left in the former older half is dropped. So neither
 * half ever has more than half of the bytes, and a value that is asked for stays.
 *
 * Values are found by the hashes of their keys, because a `Map` with URLs as its keys takes a
 * microsecond for each look-up.
 */

import { hashText } from "./hash.ts";

interface Entry<T> {
  readonly key: string;
  readonly value: T;
  readonly bytes: number;
}

export class RecentCache<T> {
  readonly #maxBytesOfHalf: number;
  /** The entries by the hashes of their keys. Of two keys with the same hash, the later one is kept. */
  #newer = new Map<number, Entry<T>>();
  #older = new Map<number, Entry<T>>();
  /** The sum of the bytes of the entries in the newer half. */
  #newerBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytesOfHalf = maxBytes / 2;
  }

  get(key: string): T | undefined {
    const hash = hashText(key, 0);
    const newer = this.#newer.get(hash);
    const entry = newer ?? this.#older.get(hash);
    // Another key may have the same hash.
    if (entry?.key !== key) return undefined;
    if (!newer) this.#addToNewer(hash, entry);
    return entry.value;
  }

  /** Keeps a value, unless it alone is larger than a half. */
  set(key: string, value: T, bytes: number): void {
    if (bytes <= this.#maxBytesOfHalf) this.#addToNewer(hashText(key, 0), { key, value, bytes });
  }

  #addToNewer(hash: number, entry: Entry<T>): void {
    this.#newerBytes += entry.bytes - (this.#newer.get(hash)?.bytes ?? 0);
    if (this.#newerBytes > this.#maxBytesOfHalf) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#newerBytes = entry.bytes;
    }
    this.#newer.set(hash, entry);
  }
}
