/** Keys, and wrong guesses at them that are right to a chosen extent. */

/** An `Authorization` header for each of many guesses. */
export type Guesses = string[];

const HEX = "0123456789abcdef";

export function createKey(): string {
  return "pk_" + crypto.getRandomValues(new Uint8Array(32)).toHex();
}

/** Guesses of each class. Many, so that no single string's place in memory decides. */
const POOL = 128;

/**
 * Two classes of guesses, allocated alternately: strings of one class that lie closer together would save half a
 * nanosecond a check.
 */
export function createGuesses(makeFirst: (i: number) => string, makeSecond: (i: number) => string): [Guesses, Guesses] {
  const texts = Array.from({ length: POOL }, (_, i) => [makeFirst(i), makeSecond(i)] as const);
  const [first, second]: [Guesses, Guesses] = [[], []];
  for (const [one, other] of texts) {
    // Which of a pair comes first is left to chance too.
    const isSwapped = Math.random() < 0.5;
    if (isSwapped) second.push(flatten(other));
    first.push(flatten(one));
    if (!isSwapped) second.push(flatten(other));
  }
  return [first, second];
}

/** As long as the key, and with another character in every place. */
export function wrongFromTheFirst(key: string): string {
  return Array.from(key, otherThan).join("");
}

export function rightUpToTheLast(key: string): string {
  return key.slice(0, -1) + otherThan(key.slice(-1));
}

function otherThan(character: string): string {
  const others = HEX.replace(character, "");
  return others[Math.floor(Math.random() * others.length)]!;
}

/** A header in one piece, as it comes from a socket: what is joined by `+` stays a tree until it is read. */
function flatten(key: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(`Bearer ${key}`));
}
