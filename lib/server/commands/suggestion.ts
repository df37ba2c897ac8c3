/** Suggests what a mistyped word was to be, as git does for its commands. */

/** The most letters that are wrong in a word which still means another. */
const MAX_MISTAKES = 2;

/** The fewest letters that may stand for a name which they begin. */
const SHORTEST_BEGINNING = 3;

/** A longer word is no mistyped command or flag, and may be a key. */
const MAX_LENGTH = 30;

/** The name that is most like a word, or undefined if none is like it. */
export function suggest(word: string, names: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  // A word that was left unfinished, such as --cors, means the name that it begins.
  const begun = word.length < SHORTEST_BEGINNING ? [] : names.filter((name) => name.startsWith(word));
  if (begun.length === 1) return begun[0];
  const ranked = names
    .map((name) => ({ name, mistakes: countMistakes(word, name) }))
    // In a short word, two wrong letters are most of it.
    .filter(({ name, mistakes }) => mistakes <= Math.min(MAX_MISTAKES, Math.floor(name.length / 2)))
    .sort((a, b) => a.mistakes - b.mistakes);
  return ranked[0]?.name;
}

/** The number of letters to add, remove, replace or swap with their neighbour so that one word becomes another (Damerau–Levenshtein). */
function countMistakes(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        rows[i - 1]![j]! + 1,
        row[j - 1]! + 1,
        rows[i - 1]![j - 1]! + (isSame ? 0 : 1),
        isSwapped ? rows[i - 2]![j - 2]! + 1 : Infinity,
      );
    }
    rows.push(row);
  }
  return rows[from.length]![to.length]!;
}
