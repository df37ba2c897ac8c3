/** Choices that are the same in every run, so that a run can be repeated. */

/** Choices that follow from the name of a case. */
export type Random = ReturnType<typeof createRandom>;

/** @param name A case chooses the same whichever cases run before it. */
export function createRandom(name: string) {
  let state = 1;
  for (const unit of name) state = Math.imul(state ^ unit.codePointAt(0)!, 0x9e3779b1) ^ (state >>> 15);
  const next = (): number => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223 | 0;
    return (state >>> 0) / 2 ** 32;
  };
  /** Chooses a whole number below `limit`. */
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(all: readonly T[]): T => all[below(all.length)]!;
  return {
    below,
    pick,
    chance: (probability: number): boolean => next() < probability,
    shuffle<T>(all: readonly T[]): T[] {
      const rest = [...all];
      return Array.from(all, () => rest.splice(below(rest.length), 1)[0]!);
    },
    int64: (): bigint => BigInt.asIntN(64, BigInt(below(2 ** 32)) << 32n | BigInt(below(2 ** 32))),
    letters: (length: number): string => Array.from({ length }, () => pick([..."abcdefghijklmnopqrstuvwxyz"])).join(""),
  };
}

/** Divides items into groups of this size, in any order. */
export function groupsOf<T>({ shuffle }: Random, all: readonly T[], size: number): T[][] {
  const order = shuffle(all);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => order.slice(i * size, (i + 1) * size));
}
