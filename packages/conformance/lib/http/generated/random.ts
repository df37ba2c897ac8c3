/** Choices that a seed decides, so that a run can be repeated. */

/** Choices that follow from a seed. */
export interface Random {
  /** Chooses a whole number below `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(all: readonly T[]): T;
  shuffle<T>(all: readonly T[]): T[];
  /** An int64. */
  int64(): bigint;
  letters(length: number): string;
}

/** The seed of a run that names none: two runs send the same requests. */
export const DEFAULT_SEED = 1;

/** @param purpose Makes other choices of the same seed, so that a case chooses the same whichever cases run before it. */
export function createRandom(seed: number, purpose: string): Random {
  let state = seed | 0;
  for (const unit of purpose) state = Math.imul(state ^ unit.codePointAt(0)!, 0x9e3779b1) ^ (state >>> 15);
  // The generator is Mulberry32.
  const next = (): number => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <T>(all: readonly T[]): T => all[below(all.length)]!;
  return {
    below,
    chance: (probability) => next() < probability,
    pick,
    shuffle<T>(all: readonly T[]): T[] {
      const rest = [...all];
      return Array.from(all, () => rest.splice(below(rest.length), 1)[0]!);
    },
    int64: () => BigInt.asIntN(64, BigInt(below(2 ** 32)) << 32n | BigInt(below(2 ** 32))),
    letters: (length) => Array.from({ length }, () => pick([..."abcdefghijklmnopqrstuvwxyz"])).join(""),
  };
}

/** Divides items into groups of this size, in an order of the seed. */
export function groupsOf<T>({ shuffle }: Random, all: readonly T[], size: number): T[][] {
  const order = shuffle(all);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => order.slice(i * size, (i + 1) * size));
}
