import { isPromise, type MaybePromise } from "../../../lib/maybe_promise.ts";
import type { Guesses } from "./guesses.ts";
import { CroppedTests } from "./welch.ts";

/** Checks a header. All guesses are wrong. */
export type Check = (authorization: string) => MaybePromise<unknown>;

export interface Subject {
  check: Check;
  /** The classes that are compared, made anew for every batch. */
  guesses: () => [Guesses, Guesses];
  /** Checks in one measurement: as many as the clock needs to see them well. */
  repeats: number;
}

const BATCH = 1000;

export async function measure({ check, guesses, repeats }: Subject, duration: number): Promise<CroppedTests> {
  const tests = new CroppedTests();
  const times = new Float64Array(BATCH);
  // The first check is slower: it makes the table of keys.
  await check(guesses()[0][0] ?? "");
  const run = isPromise(check(guesses()[0][0] ?? "")) ? runLater : runAtOnce;
  for (const start = performance.now(); performance.now() - start < duration;) {
    const pools = guesses();
    // The order is random, so that nothing that comes and goes on the machine meets one class more than the other.
    const classes = crypto.getRandomValues(new Uint8Array(BATCH)).map((byte) => byte & 1);
    for (let i = 0; i < BATCH; i++) times[i] = await run(check, pools[classes[i] as 0 | 1], i * repeats, repeats);
    tests.addBatch(times, classes);
  }
  return tests;
}

function runAtOnce(check: Check, guesses: Guesses, first: number, repeats: number): number {
  let refused = 0;
  const start = performance.now();
  for (let i = 0; i < repeats; i++) if (check(guesses[(first + i) % guesses.length]!) !== undefined) refused++;
  return taken(start, refused, repeats);
}

async function runLater(check: Check, guesses: Guesses, first: number, repeats: number): Promise<number> {
  let refused = 0;
  const start = performance.now();
  for (let i = 0; i < repeats; i++) if (await check(guesses[(first + i) % guesses.length]!) !== undefined) refused++;
  return taken(start, refused, repeats);
}

function taken(start: number, refused: number, repeats: number): number {
  const time = (performance.now() - start) / repeats;
  if (refused !== repeats) throw new Error("A wrong key was let in");
  return time;
}
