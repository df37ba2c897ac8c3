import assert from "node:assert/strict";
import { join } from "node:path";
import { testUnless } from "../../../tests/support/system/commands.ts";
import { newSeed } from "../../../tests/support/random.ts";
import { withTempFolder } from "../../../tests/support/temp.ts";
import { checkTrace, type Failure, replayState } from "./check.ts";
import { recordWorkload } from "./record.ts";
import { buildRecorder, RECORDER_SKIP } from "./recording.ts";
import type { Runtime } from "./stage.ts";
import type { Step } from "./trace.ts";
import { WORKLOADS } from "./workloads.ts";

const test = testUnless(RECORDER_SKIP);

/** The states of each workload that are checked. They have 2,000 in all. */
const STATES = 120;

function withSteps(
  name: string,
  runtime: Runtime,
  use: (steps: Step[], options: Parameters<typeof checkTrace>[1]) => Promise<void>,
): Promise<void> {
  return withTempFolder(async (folder) => {
    const seed = newSeed();
    const { steps } = await recordWorkload(name, runtime, { library: buildRecorder(folder), folder, seed });
    await use(steps, { seed, states: STATES, slice: 0, slices: 1, place: join(folder, "state") });
  });
}

const ON_NODE = ["first start", "creates", "import", "restore beside a log"];

for (const name of Object.keys(WORKLOADS)) {
  for (const runtime of ["deno", ...(ON_NODE.includes(name) ? ["node"] : [])] as Runtime[]) {
    test(`a loss of power takes back nothing that was shown: ${name} on ${runtime}`, () =>
      withSteps(name, runtime, async (steps, options) => {
        const { failures, states } = await checkTrace(steps, options);
        const again = `deno task reliability power --workload ${JSON.stringify(name)} --seed ${options.seed}`;
        assert.deepEqual(failures, [], again);
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
  [
    "a log that a restore leaves beside the new file",
    "restore beside a log",
    (steps) => steps.filter(({ text }) => text !== "unlink pets.db-wal"),
    /is not the (old or the )?new one|damage|cannot read/,
  ],
];

for (const [what, workload, plant, fault] of MISTAKES) {
  test(`the replay finds ${what}, shrinks it, and repeats it by its number`, () =>
    withSteps(workload, "deno", async (recorded, options) => {
      const steps = plant(recorded);
      const { failures } = await checkTrace(steps, options);
      const found: Failure | undefined = failures[0];
      assert.ok(found && fault.test(found.faults.join("\n")), JSON.stringify(failures));
      const again = await replayState(steps, found.state, options);
      assert.deepEqual([again?.faults[0], again?.lost], [found.faults[0], found.lost]);
      assert.ok(found.lost.length <= 4, `${found.lost.length} losses: ${found.lost.join(", ")}`);
    }));
}
