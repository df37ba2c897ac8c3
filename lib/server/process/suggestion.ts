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
    .filter(({ name, mistakes }) => mistakes <= Math.min(MAX_MISTAKES, Math.floor(name.length / 2)))
    .sort((a, b) => a.mistakes - b.mistakes);
  return ranked[0]?.name;
}

/** The number of letters to add, remove, replace or swap with their neighbour so that one word becomes another (Damerau–Levenshtein). */
export function countMistakes(from: string, to: string): number {
  // rows[i][j] is the number for the first i letters of `from` and the first j letters of `to`.
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const removed = rows[i - 1]![j]! + 1;
      const added = row[j - 1]! + 1;
      const replaced = rows[i - 1]![j - 1]! + (isSame ? 0 : 1);
      const swapped = isSwapped ? rows[i - 2]![j - 2]! + 1 : Infinity;
      row[j] = Math.min(removed, added, replaced, swapped);
    }
    rows.push(row);
  }
  return rows[from.length]![to.length]!;
}
