/** What a kill or a loss of power leaves of servers and commands, at each sync and each acknowledgement. See docs/reliability.md. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";
import { type Checked, checkTrace } from "./check.ts";
import { buildRecorder, RECORDER_SKIP, startRecording } from "./recording.ts";
import type { Step } from "./trace.ts";
import { type Runtime, Stage, WORKLOADS } from "./workloads.ts";

const test = testUnless(RECORDER_SKIP);

/** Records a workload, and checks what a loss of power may leave of it after `plant` has changed its steps. */
function checkWorkload(
  name: string,
  runtime: Runtime,
  plant: (steps: readonly Step[]) => readonly Step[] = (steps) => steps,
): Promise<Checked> {
  return withTempFolder(async (folder) => {
    const place = join(folder, "recorded"), { prepare, run } = WORKLOADS[name]!;
    mkdirSync(place);
    await prepare?.(place);
    const recording = startRecording(buildRecorder(folder), place, join(folder, "trace"));
    await using stage = new Stage(place, runtime, recording);
    await run(stage);
    return await checkTrace(plant(recording.read()), join(folder, "state"));
  });
}

const RUNS: [workload: string, runtime: Runtime][] = Object.keys(WORKLOADS).map((name) => [name, "deno"]);
// Node has its own calls of the system for a key file, a folder and a database.
RUNS.push(["first start", "node"]);

for (const [name, runtime] of RUNS) {
  test(`a kill or a loss of power takes back nothing that was shown: ${name} on ${runtime}`, async () => {
    const { fault, states } = await checkWorkload(name, runtime);
    assert.equal(fault, undefined);
    assert.ok(states > 10, `only ${states} states`);
  });
}

const isSync = ({ kind }: Step) => kind === "sync" || kind === "sync of a folder";

/** Changes a trace as if each response left before the sync of its commit. */
function withEarlyResponses(steps: readonly Step[]): Step[] {
  const moved = [...steps];
  for (const [i, step] of steps.entries()) {
    if (step.kind !== "shown" || !step.text.startsWith("HTTP/1.1 201")) continue;
    moved.splice(i, 1);
    moved.splice(steps.slice(0, i).findLastIndex(isSync), 0, step);
  }
  return moved;
}

test("the replay finds a response that leaves before its commit", async () => {
  const { fault } = await checkWorkload("creates", "deno", withEarlyResponses);
  assert.match(fault ?? "nothing was found", /is not stored/);
});
