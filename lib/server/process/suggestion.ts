/** Finds the name that a mistyped word may mean, as git does for its commands. */

/**
 * The question in a message about a mistyped word: the first name that begins with the word, such
 * as --cors, or is nearly the same. The result is "" if there is none.
 */
export function didYouMean(word: string, names: readonly string[], prefix = ""): string {
  const similar = names.find((name) => name.startsWith(word)) ??
    names.find((name) => differingLength(word, name) <= 2);
  return similar === undefined ? "" : ` (did you mean ${prefix}${similar}?)`;
}

/** How many letters are left of the longer of two words without their common beginning and their common end. */
export function differingLength(one: string, other: string): number {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let ends = 0;
  const rest = Math.min(one.length, other.length) - start;
  while (ends < rest && one.at(-1 - ends) === other.at(-1 - ends)) ends++;
  return Math.max(one.length, other.length) - start - ends;
}
