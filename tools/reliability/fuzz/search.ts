import fc from "fast-check";
import { SEQUENCES } from "./generators/steps.ts";
import type { Ground } from "./ground.ts";
import { Mismatch, runSequence } from "./session.ts";
import { KEY } from "./settings.ts";
import type { Tally } from "./tally.ts";

export interface Finding {
  problem: string;
  /** How many requests led to it, the wrongly answered one included. */
  requests: number;
  /** The problem, with the requests that show it, sent to an empty petstore. */
  text: string;
}

/** Sends so many sequences, and returns the first finding, with the fewest requests that show it. */
export async function search(
  ground: Ground,
  { tally, seed, sequences }: { tally: Tally; seed: number; sequences: number },
): Promise<Finding | undefined> {
  const property = fc.asyncProperty(SEQUENCES, (steps) => runSequence(steps, ground, tally));
  const { failed, errorInstance: error } = await fc.check(property, { seed, numRuns: sequences });
  if (!failed) return undefined;
  // Any other error is a mistake here.
  if (!(error instanceof Mismatch)) throw error;
  const { message: problem, sent } = error;
  const requests = sent.map(({ body, ...rest }) => JSON.stringify({ ...rest, body: body && latin(body) }));
  const text = [problem, `After these requests with the key ${KEY}:`, ...requests, `Found with --seed ${seed}`];
  return { problem, requests: sent.length, text: text.join("\n") };
}

/** A character for each byte. */
function latin(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
