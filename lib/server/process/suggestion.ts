/**
 * The question in a message about a mistyped word, such as `(did you mean --port?)`. It has the name that has the longest beginning in common
 * with the word. The result is "" if none has two letters of it.
 */
export function didYouMean(word: string, names: readonly string[], prefix = ""): string {
  for (let length = word.length; length >= 2; length--) {
    const similar = names.find((name) => name.startsWith(word.slice(0, length)));
    if (similar !== undefined) return ` (did you mean ${prefix}${similar}?)`;
  }
  return "";
}
