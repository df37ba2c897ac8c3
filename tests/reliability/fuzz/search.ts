import fc from "fast-check";
import { formatCurl } from "./curl.ts";
import { sequences } from "./generators/steps.ts";
import type { Step } from "./request.ts";
import { type Ground, Mismatch, runSequence } from "./session.ts";
import { KEY } from "./settings.ts";

export interface Finding {
  problem: string;
  /** The requests in order; the last one was answered wrongly. */
  sent: readonly Step[];
}

export interface Extent {
  seed: number;
  sequences: number;
}

export async function search(ground: Ground, extent: Extent): Promise<Finding | undefined> {
  const property = fc.asyncProperty(sequences(ground.host), (steps) => runSequence(steps, ground));
  const result = await fc.check(property, { seed: extent.seed, numRuns: extent.sequences });
  if (!result.failed) return undefined;
  const error = result.errorInstance;
  // Any other error is a mistake here.
  if (!(error instanceof Mismatch)) throw error;
  return { problem: error.message, sent: error.sent };
}

export function formatFinding({ problem, sent }: Finding, { seed }: Extent, origin = "http://127.0.0.1:8000"): string {
  const lines = sent.map((step) => formatCurl(step, origin));
  return [
    `${problem}\n`,
    `To an empty petstore whose key is ${KEY}:\n`,
    ...lines,
    `\nFound with --seed ${seed}`,
  ].join("\n");
}
