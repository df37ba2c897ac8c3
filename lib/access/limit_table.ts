/** Counts requests by name in constant memory, however many names there are. */

import { hashText, mix } from "../hash.ts";

/** How many slots a table has, and how many of them each name uses. */
const SLOTS = 65_536, USED = 3;

/** The size of a table in bytes: its seed, and a number for each slot. */
const TABLE_BYTES = 8 * (1 + SLOTS);

/** For how many windows a name can be in debt. */
const MAX_DEBT = 10;

/** How many requests are left, and when more become available. */
export interface Quota {
  /** How many more requests are within the limit. */
  remaining: number;
  /** In milliseconds, until one more is. */
  moreIn: number;
}

/**
 * The generic cell rate algorithm. It needs one number for a name: when its requests would have ended, had they come evenly.
 *
 * A name uses several slots, chosen by a hash with a secret seed, and the earliest of them counts (as in a count-min sketch). So
 * nothing is ever evicted, and no number of other names can reset a count. Two names are mistaken for each other only if all
 * their slots are shared: with 1,000 names in use, for one in 10,000.
 */
export class LimitTable {
  readonly #slots: Float64Array;
  readonly #seed: number;
  readonly #requests: number;
  readonly #window: number;
  readonly #found = new Int32Array(USED);

  /**
   * @param requests How many requests a window allows.
   * @param window Its length in milliseconds.
   * @param memory Several tables may share it, also in several isolates. Their updates are not synchronized, so a few requests
   * may go uncounted.
   */
  constructor(requests: number, window: number, memory: ArrayBufferLike) {
    const all = new Float64Array(memory);
    this.#seed = all[0]!;
    this.#slots = all.subarray(1);
    this.#requests = requests;
    this.#window = window;
  }

  /** The rest of the limit. */
  quota(name: string, now: number): Quota {
    return this.#quotaOf(this.#find(name, now), now);
  }

  /** Counts a request, and returns what was left before it. It is not counted if it is over the limit, unless `always` is set. */
  consume(name: string, now: number, always = false): Quota {
    const end = this.#find(name, now);
    const quota = this.#quotaOf(end, now);
    if (quota.remaining > 0 || always) {
      const next = Math.min(end + this.#window / this.#requests, now + MAX_DEBT * this.#window);
      for (const slot of this.#found) this.#slots[slot] = Math.max(this.#slots[slot]!, next);
    }
    return quota;
  }

  /** Finds the slots of a name. Returns when its requests would have ended. */
  #find(name: string, now: number): number {
    let hash = hashText(name, 0, this.#seed);
    let earliest = Infinity;
    for (let i = 0; i < USED; i++) {
      hash = mix(hash + i);
      const slot = this.#found[i] = hash >>> 8 & SLOTS - 1;
      earliest = Math.min(earliest, this.#slots[slot]!);
    }
    // A clock that was set back must not close the table.
    return earliest > now + MAX_DEBT * this.#window ? now : Math.max(earliest, now);
  }

  #quotaOf(end: number, now: number): Quota {
    const interval = this.#window / this.#requests;
    const unused = this.#window - (end - now);
    // Without the tolerance, rounding would take the last request of a window away.
    const remaining = Math.max(0, Math.floor(unused / interval + 1e-6));
    return { remaining, moreIn: (remaining + 1) * interval - unused };
  }
}

/** Makes the memory of a table, with its seed. For several isolates it is a `SharedArrayBuffer`. */
export function createLimitMemory(
  create: (bytes: number) => ArrayBufferLike = (bytes) => new ArrayBuffer(bytes),
): ArrayBufferLike {
  const memory = create(TABLE_BYTES);
  const [seed = 0] = crypto.getRandomValues(new Int32Array(1));
  new Float64Array(memory)[0] = seed;
  return memory;
}
