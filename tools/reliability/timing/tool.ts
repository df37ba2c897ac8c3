/**
 * Does the time of a key check tell anything about the keys? As in dudect (Reparaz, Balasch, Verbauwhede: "Dude, is my code
 * constant time?", DATE 2017): Welch's t-test on two classes of wrong keys, on all measurements and again below each of some
 * quantiles, because interruptions make a long tail that hides a small difference.
 */

import { createAuthenticate } from "../../../lib/access/authentication.ts";
import type { ApiKeys } from "../../../lib/access/keys.ts";
import { createContext } from "../../../tests/support/context.ts";
import { defineTool } from "../tool.ts";
import { compare, type Result } from "./welch.ts";

const ABOUT =
  `Measures whether the time of a key check tells anything about the keys. For each case: the largest |t|, the difference in
nanoseconds, the smallest difference that would have been seen, and the number of measurements.`;

/** Standard errors that the means must lie apart before it counts as a difference; dudect's choice. */
const THRESHOLD = 10;

/** No verdict on fewer measurements of a class. */
const FEWEST = 10_000;

const BATCH = 1000;

/** Checks in one measurement: as many as the clock needs to see them well. */
const REPEATS = 16;

/** Guesses of each class. Many, so that no single string's place in memory decides. */
const POOL = 128;

/** Keys, and how they are checked. The last is a control: a leak that must be found. */
const CASES: [name: string, count: number, checkOf: (keys: string[]) => ApiKeys, leaks: boolean][] = [
  ["one key", 1, (keys) => keys, false],
  ["three keys", 3, (keys) => keys, false],
  ["a hundred keys", 100, (keys) => keys, false],
  ["control: stops at the first wrong character", 1, ([key]) => (given = "") => isEqualUntilWrong(given, key!), true],
];

export const TIMING = defineTool<{ seconds: number }>(ABOUT, {
  seconds: [15, "how long all cases together are measured"],
}, async ({ seconds }) => {
  const figures: Record<string, string> = {};
  const findings = [];
  for (const [name, count, checkOf, leaks] of CASES) {
    // Without the prefix of generated keys: it is public, and a guess that shares its first letter takes 2 ns longer.
    const keys = Array.from({ length: count }, () => crypto.getRandomValues(new Uint8Array(32)).toHex());
    const result = compare(await measure(checkOf(keys), keys, 1000 * seconds / CASES.length), FEWEST);
    figures[name] = result ? format(result) : "nothing";
    const fault = !result
      ? "there are too few measurements"
      : Math.abs(result.t) > THRESHOLD === leaks
      ? undefined
      : leaks
      ? "a leak that is there was not found"
      : "there is a leak";
    if (fault !== undefined) findings.push({ kind: "timing", detail: `${name}: ${fault}` });
  }
  return { figures, findings };
});

/** The times of each class: guesses that are wrong from their first character on, and guesses right up to the last three. */
async function measure(apiKeys: ApiKeys, keys: string[], duration: number): Promise<[number[], number[]]> {
  const authenticate = createAuthenticate(apiKeys);
  const times: [number[], number[]] = [[], []];
  const start = performance.now();
  // The first batch only warms up.
  for (let isWarm = false; performance.now() - start < duration; isWarm = true) {
    const pools = createGuesses(keys);
    // The first check is slower: it makes the table of keys.
    await authenticate(createContext({ authorization: pools[0][0]! }));
    // The order is random, so that nothing that comes and goes on the machine meets one class more than the other.
    const classes = crypto.getRandomValues(new Uint8Array(BATCH)).map((byte) => byte & 1);
    for (let i = 0; i < BATCH; i++) {
      const which = classes[i] as 0 | 1;
      const time = timeOf(authenticate, pools[which], i * REPEATS);
      if (isWarm) times[which].push(time);
    }
  }
  return times;
}

function timeOf(authenticate: ReturnType<typeof createAuthenticate>, guesses: string[], first: number): number {
  let refused = 0;
  const start = performance.now();
  for (let i = 0; i < REPEATS; i++) {
    const authorization = guesses[(first + i) % guesses.length]!;
    if (authenticate(createContext({ authorization })) !== undefined) refused++;
  }
  const time = (performance.now() - start) / REPEATS;
  if (refused !== REPEATS) throw new Error("A wrong key was let in");
  return time;
}

/**
 * Headers of both classes, allocated alternately, which of a pair comes first by chance: strings of one class that lie closer
 * together would save half a nanosecond a check.
 */
function createGuesses(keys: string[]): [string[], string[]] {
  const pools: [string[], string[]] = [[], []];
  for (let i = 0; i < POOL; i++) {
    const key = keys[i % keys.length]!;
    const wrong = Array.from(key, otherThan).join("");
    // Three wrong characters at the end, so that the guesses of both classes differ: repeated ones are a nanosecond faster.
    const guesses = [wrong, key.slice(0, -3) + wrong.slice(-3)] as const;
    for (const which of Math.random() < 0.5 ? [0, 1] as const : [1, 0] as const) {
      // In one piece, as it comes from a socket: what is joined by `+` stays a tree until it is read.
      pools[which].push(new TextDecoder().decode(new TextEncoder().encode(`Bearer ${guesses[which]}`)));
    }
  }
  return pools;
}

function otherThan(character: string): string {
  const others = "0123456789abcdef".replace(character, "");
  return others[Math.floor(Math.random() * others.length)]!;
}

/** A careless comparison. */
function isEqualUntilWrong(given: string, key: string): boolean {
  if (given.length !== key.length) return false;
  for (let i = 0; i < key.length; i++) if (given.charCodeAt(i) !== key.charCodeAt(i)) return false;
  return true;
}

function format({ t, difference, finest, count }: Result): string {
  const [found, visible] = [difference, THRESHOLD * finest].map((ms) => `${(ms * 1e6).toFixed(1)} ns`);
  return `|t| ${Math.abs(t).toFixed(1)}, ${found}, would see ${visible}, ${count} measurements`;
}
