/** The results of the complete runs of cases, in a file, so that an interrupted benchmark can continue. */

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Outcome } from "./row.ts";

const PATH = fileURLToPath(new URL("../dist/benchmarks.json", import.meta.url));

/** The result of a case. */
export interface Result {
  outcome: Outcome;
  /** When it was measured, as in `Date.toISOString()`. */
  at: string;
  seconds: number;
  /** The share of the processors' time, 0 to 1, that other work used before. */
  disturbance: number;
}

/** Results by the name of their case. */
export type Results = Map<string, Result>;

/** The results of the last run; none if the file is missing. */
export function readResults(): Results {
  try {
    return new Map(Object.entries(JSON.parse(Deno.readTextFileSync(PATH))));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Map();
    throw new Error(`${PATH} cannot be read; delete it and run all cases again`, { cause: error });
  }
}

/** Replaces the file in one step, so that an interruption leaves the old or the new one. */
export function writeResults(results: Results): void {
  Deno.mkdirSync(dirname(PATH), { recursive: true });
  Deno.writeTextFileSync(`${PATH}.new`, JSON.stringify(Object.fromEntries(results), null, 1));
  Deno.renameSync(`${PATH}.new`, PATH);
}
