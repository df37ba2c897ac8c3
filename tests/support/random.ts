/** Random choices that a seed repeats. The interplay of two processes cannot be repeated. */

/** A stream of random numbers (mulberry32 by Tommy Ettinger). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A stream of its own, so that a client's draws do not depend on the speed of another. */
  fork(): Random {
    return new Random(this.#next());
  }

  /** A whole number from 0 to `limit` − 1. */
  below(limit: number): number {
    return Math.trunc(this.#next() / 2 ** 32 * limit);
  }

  /** Returns true in one of `count` cases. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  int64(): bigint {
    return BigInt.asIntN(64, BigInt(this.#next()) << 32n | BigInt(this.#next()));
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    const mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    const again = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
    return (again ^ (again >>> 14)) >>> 0;
  }
}

export function newSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
