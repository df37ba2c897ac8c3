/** Guesses which word was meant. */

/** The candidate that a mistyped word probably means: it differs in one character, or has two in the wrong order. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const shorter = shortened(word);
  return candidates.find((candidate) => shortened(candidate).some((each) => shorter.includes(each)));
}

/** A word, and the word without any one of its characters. Two words that are similar have one of these in common. */
function shortened(word: string): string[] {
  return [word, ...Array.from(word, (_, i) => word.slice(0, i) + word.slice(i + 1))];
}
