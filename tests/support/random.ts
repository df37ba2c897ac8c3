/** Random choices that a seed repeats. The interplay of two processes cannot be repeated. */

/** A stream of random numbers (sfc32 by Chris Doty-Humphrey). */
export class Random {
  readonly #state: Uint32Array<ArrayBuffer>;

  constructor(seed: number) {
    this.#state = Uint32Array.of(0x9e3779b9, 0x243f6a88, seed, 1);
    // The first numbers after similar seeds are similar.
    for (let i = 0; i < 12; i++) this.#next();
  }

  /** A stream of its own, so that a client's draws do not depend on the speed of another. */
  fork(): Random {
    return new Random(this.#next());
  }

  /** A whole number from 0 to `limit` − 1. */
  below(limit: number): number {
    return Math.trunc(this.#next() / 2 ** 32 * limit);
  }

  /** True in one of `count` cases. */
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
    const state = this.#state;
    const [a = 0, b = 0, c = 0, counter = 0] = state;
    // The array keeps 32 bits of each.
    state[3] = counter + 1;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + a + b + counter;
    return (a + b + counter) >>> 0;
  }
}

export function newSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
