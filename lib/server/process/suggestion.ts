/** Finds the name that a mistyped word may mean, as git does for its commands. */

/** A word with more wrong letters does not mean the name. */
const MAX_MISTAKES = 2;

/** The name that is most similar to a word, or undefined if none is similar. */
export function suggest(word: string, names: readonly string[]): string | undefined {
  // An unfinished word, such as --cors, means the name that it begins, if there is one such name.
  const completions = names.filter((name) => name.startsWith(word));
  if (completions.length === 1) return completions[0];
  const ranked = names
    .map((name) => ({ name, mistakes: countMistakes(word, name) }))
    // In a name of two or three letters, two wrong ones would be most of it, so only one may be wrong.
    .filter(({ name, mistakes }) => mistakes <= Math.min(MAX_MISTAKES, name.length / 2))
    .sort((a, b) => a.mistakes - b.mistakes);
  return ranked[0]?.name;
}

/**
 * The number of letters to add, remove, replace or swap with their neighbour so that one word becomes another (Damerau–Levenshtein).
 *
 * @param most If more are needed, the result is larger than this, and may be `Infinity`.
 */
export function countMistakes(from: string, to: string, most = MAX_MISTAKES): number {
  if (from === "" || to === "") return from.length + to.length;
  if (from[0] === to[0]) return countMistakes(from.slice(1), to.slice(1), most);
  if (most === 0) return Infinity;
  const countAfter = (fromCount: number, toCount: number) =>
    countMistakes(from.slice(fromCount), to.slice(toCount), most - 1);
  const isSwapped = from[0] === to[1] && from[1] === to[0];
  const swapped = isSwapped ? countAfter(2, 2) : Infinity;
  return 1 + Math.min(countAfter(1, 0), countAfter(0, 1), countAfter(1, 1), swapped);
}
