/** What a loss of power leaves of servers and commands, at each sync and each acknowledgement. See docs/reliability.md. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { testUnless } from "../../support/system/commands.ts";
import { newSeed, Random } from "../../support/random.ts";
import { withTempFolder } from "../../support/temp.ts";
import { type CheckOptions, checkTrace } from "./check.ts";
import { buildRecorder, RECORDER_SKIP, startRecording } from "./recording.ts";
import { type Runtime, Stage } from "./stage.ts";
import type { Step } from "./trace.ts";
import { WORKLOADS } from "./workloads.ts";

const test = testUnless(RECORDER_SKIP);

/**
 * How many states of each workload are checked, of some thousands, and the seed of the choices. A failure names the seed; more states
 * are worth the time after a change of what is written in which order.
 */
const STATES = Number(process.env["POWER_STATES"] ?? 120), SEED = Number(process.env["POWER_SEED"] ?? newSeed());

/** Records a workload, and gives its steps to `use`. */
function withSteps(
  name: string,
  runtime: Runtime,
  use: (steps: Step[], options: CheckOptions) => Promise<void>,
): Promise<void> {
  return withTempFolder(async (folder) => {
    const place = join(folder, "recorded"), options = { seed: SEED, states: STATES, place: join(folder, "state") };
    mkdirSync(place);
    const recording = startRecording(buildRecorder(folder), place, join(folder, "trace"));
    await using stage = new Stage(place, runtime, new Random(SEED), recording);
    await WORKLOADS[name]!(stage);
    await use(recording.read(), options);
  });
}

const ON_NODE = ["first start", "creates", "import"];

for (const name of Object.keys(WORKLOADS)) {
  for (const runtime of ["deno", ...(ON_NODE.includes(name) ? ["node"] : [])] as Runtime[]) {
    test(`a loss of power takes back nothing that was shown: ${name} on ${runtime}`, () =>
      withSteps(name, runtime, async (steps, options) => {
        const { failures, states } = await checkTrace(steps, options);
        const again = `POWER_SEED=${SEED} deno task test:all heavy/power`;
        assert.deepEqual(failures, [], `${JSON.stringify(failures, null, 2)}\n${again}`);
        assert.ok(states > STATES / 2, `only ${states} states`);
      }));
  }
}

const isSync = ({ kind }: Step) => kind === "sync" || kind === "sync of a folder";

/** As with `synchronous = NORMAL`, which syncs the log only before it is written back. */
function withoutCommits(steps: readonly Step[]): Step[] {
  const isWrittenBack = (at: number) => {
    const next = steps.slice(at + 1).find(({ kind }) => kind === "write" || kind === "sync");
    return next?.kind === "write" && / pets\.db /.test(next.text);
  };
  return steps.filter(({ kind, text }, i) => !(kind === "sync" && /-wal$/.test(text)) || isWrittenBack(i));
}

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

const MISTAKES: [what: string, workload: string, plant: (steps: readonly Step[]) => Step[], fault: RegExp][] = [
  ["commits that do not wait for the disk", "creates", withoutCommits, /stored is nothing/],
  ["responses before the commit", "creates", withEarlyResponses, /stored is nothing/],
  [
    "a folder that is not synced",
    "first start",
    (steps) => steps.filter(({ kind }) => kind !== "sync of a folder"),
    /stored is nothing|is not valid|does not have the key|cannot read/,
  ],
  [
    "a key whose file was not synced before it was shown",
    "first start",
    (steps) => steps.filter(({ kind, text }) => kind !== "sync" || !text.includes("api-key")),
    /does not have the key/,
  ],
];

for (const [what, workload, plant, fault] of MISTAKES) {
  test(`the replay finds ${what}, and shrinks it`, () =>
    withSteps(workload, "deno", async (recorded, options) => {
      const { failures: [found] } = await checkTrace(plant(recorded), options);
      assert.ok(found && fault.test(found.faults.join("\n")), JSON.stringify(found));
      assert.ok(found.lost.length <= 4, `${found.lost.length} losses: ${found.lost.join(", ")}`);
    }));
}
