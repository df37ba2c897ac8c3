/**
 * Does the time of a key check tell anything about the keys? As in dudect (Reparaz, Balasch, Verbauwhede: "Dude, is my code
 * constant time?", DATE 2017): Welch's t-test on two classes of wrong keys, on all measurements and again below each of some
 * quantiles, because interruptions make a long tail that hides a small difference.
 */

import { createAuthenticate } from "../../../lib/access/authentication.ts";
import type { ApiKeys } from "../../../lib/access/keys.ts";
import { Problem } from "../../../lib/http/problem.ts";
import { createContext } from "../../../tests/support/context.ts";
import { defineTool } from "../tool.ts";
import { compare, type Result } from "./welch.ts";

const ABOUT =
  `Measures whether the time of a key check tells anything about the keys. For each case: the largest |t|, the difference in
nanoseconds, the smallest difference that would have been seen, and the number of measurements. All cases take turns, the control
among them, whose leak must be found: otherwise the machine is too busy, and the round is repeated for longer. A leak counts if three
rounds in a row find it, each with new keys.`;

/** Standard errors that the means must lie apart before it counts as a difference; dudect's choice. */
const THRESHOLD = 10;

/** No verdict on fewer measurements of a class. */
const FEWEST = 10_000;

const BATCH = 1000;

/** Checks in one measurement: as many as the clock needs to see them well. */
const REPEATS = 16;

/** Rounds that must find the same leak. By chance, or by the places of keys in memory, one may. */
const CONFIRMATIONS = 3;

/** Rounds in all. Each takes twice as long as the one before, up to four times the first. */
const MOST_ROUNDS = 6, LONGEST_ROUND = 4;

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
  seconds: [15, "how long the first round measures all cases together"],
}, async ({ seconds }, { log }) => {
  /** How many rounds in a row have found a leak, by case, and in which class checks took longer. */
  const found = new Map<string, { rounds: number; sign: number }>();
  let figures: Record<string, string> = {};
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const results = await measureAll(1000 * seconds * Math.min(2 ** round, LONGEST_ROUND));
    figures = Object.fromEntries(results.map(({ name, result }) => [name, result ? format(result) : "nothing"]));
    const isSeen = results.every(({ result, leaks }) => result && (!leaks || Math.abs(result.t) > THRESHOLD));
    if (!isSeen) {
      log("the leak of the control was not found, so the round is repeated for longer");
      continue;
    }
    for (const { name, result, leaks } of results) {
      const sign = Math.abs(result!.t) > THRESHOLD ? Math.sign(result!.t) : 0;
      const before = found.get(name);
      if (leaks || sign === 0) found.delete(name);
      else found.set(name, { rounds: before?.sign === sign ? before.rounds + 1 : 1, sign });
    }
    if (found.size === 0) return { figures, findings: [] };
    const confirmed = [...found].filter(([, { rounds }]) => rounds === CONFIRMATIONS);
    const findings = confirmed.map(([name]) => ({ kind: "timing", detail: `${name}: there is a leak` }));
    if (findings.length > 0) return { figures, findings };
    log(`a leak seems to be there, so the round is repeated: ${[...found.keys()].join(", ")}`);
  }
  return { figures, findings: [{ kind: "timing", detail: "no round was without a doubt: the machine is too busy" }] };
});

interface Case {
  name: string;
  leaks: boolean;
  keys: string[];
  authenticate: ReturnType<typeof createAuthenticate>;
  /** Of each class: guesses that are wrong from their first character on, and guesses right up to the last three. */
  times: [number[], number[]];
}

/** All cases with new keys. They take turns, in an order by chance, so that what comes and goes on the machine meets each. */
async function measureAll(duration: number) {
  const cases = CASES.map(([name, count, checkOf, leaks]): Case => {
    // Without the prefix of generated keys: it is public, and a guess that shares its first letter takes 2 ns longer.
    const keys = Array.from({ length: count }, () => crypto.getRandomValues(new Uint8Array(32)).toHex());
    return { name, leaks, keys, authenticate: createAuthenticate(checkOf(keys)), times: [[], []] };
  });
  const start = performance.now();
  // The first batch only warms up.
  for (let isWarm = false; performance.now() - start < duration; isWarm = true) {
    for (const each of cases.toSorted(() => Math.random() - 0.5)) await measureBatch(each, isWarm);
  }
  return cases.map(({ name, leaks, times }) => ({ name, leaks, result: compare(times, FEWEST) }));
}

async function measureBatch({ keys, authenticate, times }: Case, isWarm: boolean): Promise<void> {
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

function timeOf(authenticate: ReturnType<typeof createAuthenticate>, guesses: string[], first: number): number {
  let refused = 0;
  const start = performance.now();
  for (let i = 0; i < REPEATS; i++) {
    const authorization = guesses[(first + i) % guesses.length]!;
    if (authenticate(createContext({ authorization })) instanceof Problem) refused++;
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
