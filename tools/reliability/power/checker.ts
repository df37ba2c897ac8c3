/** A process that checks states, with a working directory of its own: `checker.ts JOB`, which is JSON. Prints what it has found. */

import { type Checked, checkTrace } from "./check.ts";
import { readTrace } from "./trace.ts";

export interface Job {
  traces: { name: string; trace: string; states: number }[];
  seed: number;
  slice: number;
  slices: number;
  place: string;
}

/** A line of the output. */
export interface CheckedTrace extends Checked {
  name: string;
  trace: string;
}

if (import.meta.main) {
  const { traces, ...options }: Job = JSON.parse(Deno.args[0] ?? "");
  for (const { name, trace, states } of traces) {
    const checked: CheckedTrace = { name, trace, ...await checkTrace(readTrace(trace), { ...options, states }) };
    console.log(JSON.stringify(checked));
  }
}
