/** What a kill or a loss of power leaves of servers and commands, at each sync and each acknowledgement. See docs/reliability.md. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";
import { type Checked, checkSteps } from "./check.ts";
import { Files, readDigests } from "./disk.ts";
import { RECORDER_SKIP, Recording, type Step } from "./trace.ts";
import { Stage, WORKLOADS } from "./workloads.ts";

const test = testUnless(RECORDER_SKIP);

/** Records a workload, and checks what a loss of power may leave of it after `plant` has changed its steps. */
function checkWorkload(
  name: string,
  runtime: "deno" | "node",
  plant: (steps: readonly Step[]) => readonly Step[] = (steps) => steps,
): Promise<Checked> {
  return withTempFolder(async (place) => {
    const folder = join(place, "recorded");
    mkdirSync(folder);
    const recording = new Recording(folder, place), stage = new Stage(folder, runtime === "node", recording);
    await WORKLOADS[name]!(stage);
    const steps = recording.read();
    assertComplete(steps, folder);
    return await checkSteps(plant(steps), stage.expected);
  });
}

/** Fails if the recorder has missed a step: all of them together must lead to the files that the programs have left. */
function assertComplete(steps: readonly Step[], folder: string): void {
  const files = new Files();
  for (const step of steps) if (step.kind === "change") files.apply(step.change);
  assert.deepEqual(files.digests, readDigests(folder));
}

const RUNS: [workload: string, runtime: "deno" | "node"][] = Object.keys(WORKLOADS).map((name) => [name, "deno"]);
// Node has its own calls of the system for a key file, a folder and a database.
RUNS.push(["first start", "node"]);

for (const [name, runtime] of RUNS) {
  test(`a kill or a loss of power takes back nothing that was shown: ${name} on ${runtime}`, async () => {
    const { fault, states } = await checkWorkload(name, runtime);
    assert.equal(fault, undefined);
    assert.ok(states > 10, `only ${states} states`);
  });
}

/** Changes the steps as if each response left before the sync of its commit. */
function withEarlyResponses(steps: readonly Step[]): Step[] {
  const moved = [...steps];
  for (const [i, step] of steps.entries()) {
    if (step.kind !== "shown" || !step.text.startsWith("HTTP/1.1 201")) continue;
    moved.splice(i, 1);
    moved.splice(steps.slice(0, i).findLastIndex(({ kind }) => kind === "sync"), 0, step);
  }
  return moved;
}

test("the replay finds a response that leaves before its commit", async () => {
  const { fault } = await checkWorkload("creates", "deno", withEarlyResponses);
  assert.match(fault ?? "nothing was found", /is not stored/);
});
