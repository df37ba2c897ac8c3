/** Records a workload. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../../../tests/support/random.ts";
import { startRecording } from "./recording.ts";
import { type Runtime, Stage } from "./stage.ts";
import { addShown, type Step } from "./trace.ts";
import { WORKLOADS } from "./workloads.ts";

export interface Recorded {
  name: string;
  trace: string;
  steps: Step[];
}

export async function recordWorkload(
  name: string,
  runtime: Runtime,
  { library, folder, seed }: { library: string; folder: string; seed: number },
): Promise<Recorded> {
  const { prepare, shown, run } = WORKLOADS[name]!;
  const place = join(folder, `${name} on ${runtime}`.replaceAll(" ", "-"));
  mkdirSync(place);
  prepare?.(place);
  const trace = `${place}.trace`;
  const recording = startRecording(library, place, trace);
  if (shown !== undefined) addShown(trace, shown);
  await using stage = new Stage(place, runtime, new Random(seed), recording);
  await run(stage);
  return { name: `${name} on ${runtime}`, trace, steps: recording.read() };
}
