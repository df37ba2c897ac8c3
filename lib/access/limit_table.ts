import { hashText, mix } from "../hash.ts";

const SLOTS = 65_536, USED = 3;

const TABLE_BYTES = 8 * (1 + SLOTS);

const MAX_DEBT = 10;

export interface Quota {
  remaining: number;
  /** Milliseconds until one more. */
  moreIn: number;
}

export type LimitTable = ReturnType<typeof createLimitTable>;

/**
 * Generic cell rate algorithm: a slot stores when evenly spread requests would have ended. The earliest slot of a name
 * counts, so other names cannot reset it. Isolates may share `memory` without synchronization: a few requests may go
 * uncounted.
 */
export function createLimitTable(requests: number, window: number, memory: ArrayBufferLike) {
  const [seed = 0] = new Float64Array(memory, 0, 1), slots = new Float64Array(memory, 8);
  const found = new Int32Array(USED);
  const interval = window / requests, longest = MAX_DEBT * window;

  function find(name: string, now: number): number {
    let hash = hashText(name, 0, seed);
    let earliest = Infinity;
    for (let i = 0; i < USED; i++) {
      hash = mix(hash + i);
      const slot = found[i] = hash >>> 8 & SLOTS - 1;
      earliest = Math.min(earliest, slots[slot]!);
    }
    // The clock may be set back.
    return earliest > now + longest ? now : Math.max(earliest, now);
  }

  function quotaOf(end: number, now: number): Quota {
    const unused = window - (end - now);
    // For rounding errors.
    const remaining = Math.max(0, Math.floor(unused / interval + 1e-6));
    return { remaining, moreIn: (remaining + 1) * interval - unused };
  }

  return {
    quota: (name: string, now: number): Quota => quotaOf(find(name, now), now),
    /** Returns the quota before. `always` also counts requests over the limit. */
    consume(name: string, now: number, always?: boolean): Quota {
      const end = find(name, now);
      const quota = quotaOf(end, now);
      if (quota.remaining > 0 || always) {
        const next = Math.min(end + interval, now + longest);
        for (const slot of found) slots[slot] = Math.max(slots[slot]!, next);
      }
      return quota;
    },
  };
}

export function createLimitMemory(
  create: (bytes: number) => ArrayBufferLike = (bytes) => new ArrayBuffer(bytes),
): ArrayBufferLike {
  const memory = create(TABLE_BYTES);
  const [seed = 0] = crypto.getRandomValues(new Int32Array(1));
  new Float64Array(memory)[0] = seed;
  return memory;
}
