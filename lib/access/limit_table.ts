import { hashText, mix } from "../hash.ts";

const SLOTS = 65_536, USED = 3;

const TABLE_BYTES = 8 * (1 + SLOTS);

const MAX_DEBT = 10;

export interface Quota {
  remaining: number;
  /** Milliseconds until one more. */
  moreIn: number;
}

/**
 * Generic cell rate algorithm: a slot stores when evenly spread requests would have ended. The earliest slot of a name
 * counts, so other names cannot reset it.
 */
export class LimitTable {
  readonly #slots: Float64Array;
  readonly #seed: number;
  readonly #requests: number;
  readonly #window: number;
  readonly #found = new Int32Array(USED);

  /** Isolates may share `memory` without synchronization: a few requests may go uncounted. */
  constructor(requests: number, window: number, memory: ArrayBufferLike) {
    const all = new Float64Array(memory);
    this.#seed = all[0]!;
    this.#slots = all.subarray(1);
    this.#requests = requests;
    this.#window = window;
  }

  quota(name: string, now: number): Quota {
    return this.#quotaOf(this.#find(name, now), now);
  }

  /** Returns the quota before. `always` also counts requests over the limit. */
  consume(name: string, now: number, always = false): Quota {
    const end = this.#find(name, now);
    const quota = this.#quotaOf(end, now);
    if (quota.remaining > 0 || always) {
      const next = Math.min(end + this.#window / this.#requests, now + MAX_DEBT * this.#window);
      for (const slot of this.#found) this.#slots[slot] = Math.max(this.#slots[slot]!, next);
    }
    return quota;
  }

  #find(name: string, now: number): number {
    let hash = hashText(name, 0, this.#seed);
    let earliest = Infinity;
    for (let i = 0; i < USED; i++) {
      hash = mix(hash + i);
      const slot = this.#found[i] = hash >>> 8 & SLOTS - 1;
      earliest = Math.min(earliest, this.#slots[slot]!);
    }
    // The clock may be set back.
    return earliest > now + MAX_DEBT * this.#window ? now : Math.max(earliest, now);
  }

  #quotaOf(end: number, now: number): Quota {
    const interval = this.#window / this.#requests;
    const unused = this.#window - (end - now);
    // For rounding errors.
    const remaining = Math.max(0, Math.floor(unused / interval + 1e-6));
    return { remaining, moreIn: (remaining + 1) * interval - unused };
  }
}

export function createLimitMemory(
  create: (bytes: number) => ArrayBufferLike = (bytes) => new ArrayBuffer(bytes),
): ArrayBufferLike {
  const memory = create(TABLE_BYTES);
  const [seed = 0] = crypto.getRandomValues(new Int32Array(1));
  new Float64Array(memory)[0] = seed;
  return memory;
}
