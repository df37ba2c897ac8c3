import type { MaybePromise } from "../../../lib/maybe_promise.ts";
import type { Guesses } from "./guesses.ts";
import { CroppedTests } from "./welch.ts";

/** Checks a header, without a promise. All guesses are wrong. */
export type Check = (authorization: string) => MaybePromise<unknown>;

export interface Subject {
  check: Check;
  /** The classes that are compared, made anew for every batch. */
  guesses: () => [Guesses, Guesses];
}

const BATCH = 1000;

/** Checks in one measurement: as many as the clock needs to see them well. */
const REPEATS = 16;

export async function measure({ check, guesses }: Subject, duration: number): Promise<CroppedTests> {
  const tests = new CroppedTests();
  const times = new Float64Array(BATCH);
  // The first check is slower: it makes the table of keys.
  await check(guesses()[0][0] ?? "");
  for (const start = performance.now(); performance.now() - start < duration;) {
    const pools = guesses();
    // The order is random, so that nothing that comes and goes on the machine meets one class more than the other.
    const classes = crypto.getRandomValues(new Uint8Array(BATCH)).map((byte) => byte & 1);
    for (let i = 0; i < BATCH; i++) times[i] = run(check, pools[classes[i] as 0 | 1], i * REPEATS);
    tests.addBatch(times, classes);
  }
  return tests;
}

function run(check: Check, guesses: Guesses, first: number): number {
  let refused = 0;
  const start = performance.now();
  for (let i = 0; i < REPEATS; i++) if (check(guesses[(first + i) % guesses.length]!) !== undefined) refused++;
  const time = (performance.now() - start) / REPEATS;
  if (refused !== REPEATS) throw new Error("A wrong key was let in");
  return time;
}
