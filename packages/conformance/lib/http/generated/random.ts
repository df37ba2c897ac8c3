/** Choices that are the same in every run, so that a run can be repeated. */

/** Choices that follow from the name of a case. */
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

/** @param name A case chooses the same whichever cases run before it. */
export function createRandom(name: string): Random {
  let state = 1;
  for (const unit of name) state = Math.imul(state ^ unit.codePointAt(0)!, 0x9e3779b1) ^ (state >>> 15);
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

/** Divides items into groups of this size, in any order. */
export function groupsOf<T>({ shuffle }: Random, all: readonly T[], size: number): T[][] {
  const order = shuffle(all);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => order.slice(i * size, (i + 1) * size));
}
