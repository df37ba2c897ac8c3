import fc from "fast-check";
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
  const property = fc.asyncProperty(sequences({ isRaw: "server" in ground }), (steps) => runSequence(steps, ground));
  const result = await fc.check(property, { seed: extent.seed, numRuns: extent.sequences });
  if (!result.failed) return undefined;
  const error = result.errorInstance;
  // Any other error is a mistake here.
  if (!(error instanceof Mismatch)) throw error;
  return { problem: error.message, sent: error.sent };
}

/** A finding with the requests that show it, sent to an empty petstore. */
export function formatFinding({ problem, sent }: Finding, { seed }: Extent): string {
  return [problem, `After these requests with the key ${KEY}:`, ...sent.map(formatStep), `Found with --seed ${seed}`]
    .join("\n");
}

function formatStep(step: Step): string {
  if ("bytes" in step) return `${step.what}: ${JSON.stringify(latin(step.bytes))}`;
  const { method, target, headers, body, framing } = step;
  return JSON.stringify({ method, target, headers, framing, body: body && latin(body) });
}

/** A character for each byte. */
function latin(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
