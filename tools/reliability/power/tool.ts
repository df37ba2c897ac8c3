/** Records the workloads, and checks what a loss of power may leave of each. */

import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Child } from "../../../tests/support/system/child.ts";
import { type Finding, UsageError } from "../../command_line.ts";
import { defineTool, type Report, type Run } from "../tool.ts";
import { countMoments, type Failure, replayState } from "./check.ts";
import type { CheckedTrace, Job } from "./checker.ts";
import { recordWorkload } from "./record.ts";
import { buildRecorder, RECORDER_SKIP } from "./recording.ts";
import { RUNTIMES } from "./stage.ts";
import { readTrace } from "./trace.ts";
import { WORKLOADS } from "./workloads.ts";

const ABOUT =
  `Servers and commands run on Deno and on Node under a recorder of their writes, syncs, changes of names, and of what
they show. Then states are made that a disk may hold after a loss of power at each sync and each acknowledgement: all that
was synced, and some of the rest. Each is opened and checked against what was shown; one in a hundred by a server too.`;

type PowerOptions = { states: number; workload: string; trace: string; state: number };

export const POWER = defineTool<PowerOptions>(ABOUT, {
  states: [130_000, "how many at most; a trace may have fewer different ones"],
  workload: ["all", `one of them: ${Object.keys(WORKLOADS).join(", ")}`, ["all", ...Object.keys(WORKLOADS)]],
  trace: ["none", "check an earlier trace, which a finding names"],
  state: [0, "check that state of the trace alone"],
}, run);

async function run(options: PowerOptions, context: Run): Promise<Report> {
  const { seed, log } = context;
  const place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "petstore-power-"));
  try {
    if (options.state > 0) return await replay(options, seed, join(place, "0"));
    const traces = options.trace === "none"
      ? await recordAll(options.workload, context)
      : [{ name: basename(options.trace), trace: options.trace, moments: countMoments(readTrace(options.trace)) }];
    const all = traces.reduce((sum, { moments }) => sum + weigh(moments), 0);
    const shared = traces.map(({ moments, ...rest }) => ({
      ...rest,
      states: Math.ceil(options.states * weigh(moments) / all),
    }));
    const checked = await checkAll(shared, seed, place, log);
    const sum = (name: "states" | "served") => checked.reduce((total, each) => total + each[name], 0);
    const moments = traces.reduce((total, each) => total + each.moments, 0);
    const findings = checked.flatMap((each) => each.failures.map((failure) => describe(each, failure, seed)));
    return {
      figures: { traces: traces.length, moments, states: sum("states"), "by a server": sum("served") },
      findings,
    };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The states of a moment of a long trace are larger, and more like those of the one before. */
function weigh(moments: number): number {
  return Math.min(moments, 60);
}

async function recordAll(workload: string, { seed, folder, log }: Run) {
  if (RECORDER_SKIP) throw new UsageError(`The recorder ${RECORDER_SKIP}`);
  const library = buildRecorder(folder), traces = [];
  for (const name of Object.keys(WORKLOADS).filter((each) => workload === "all" || each === workload)) {
    for (const runtime of RUNTIMES) {
      const recorded = await recordWorkload(name, runtime, { library, folder, seed });
      const moments = countMoments(recorded.steps);
      log(`${recorded.name}: ${recorded.steps.length} steps, ${moments} moments`);
      traces.push({ name: recorded.name, trace: recorded.trace, moments });
    }
  }
  return traces;
}

async function checkAll(traces: Job["traces"], seed: number, place: string, log: Run["log"]): Promise<CheckedTrace[]> {
  const checker = fileURLToPath(new URL("checker.ts", import.meta.url)), slices = navigator.hardwareConcurrency;
  const checked: CheckedTrace[] = [];
  await Promise.all(Array.from({ length: slices }, async (_, slice) => {
    const job: Job = { traces, seed, slice, slices, place: join(place, String(slice)) };
    const onLine = (line: string) => {
      const each: CheckedTrace = JSON.parse(line);
      checked.push(each);
      log(`${each.name}: ${each.states} states, findings ${each.failures.length}`);
    };
    await using child = new Child(Deno.execPath(), ["run", "-A", "--no-check", checker, JSON.stringify(job)], {
      onLine,
    });
    const status = await child.ended;
    if (status !== 0) throw new Error(`A checker ended with ${status}: ${child.written.stderr}`);
  }));
  return checked;
}

/** Keeps the trace, which would go with the folder of the run. */
function describe(
  { name, trace }: { name: string; trace: string },
  { state, faults, lost }: Failure,
  seed: number,
): Finding {
  const kept = join(tmpdir(), basename(trace));
  if (kept !== trace) copyFileSync(trace, kept);
  const again = `deno task reliability power --trace ${kept} --seed ${seed} --state ${state}`;
  const undone = lost.length === 0 ? "nothing needs to be lost" : `lost: ${lost.join("; ")}`;
  return { kind: name, detail: `${faults[0]}; ${undone}; ${again}` };
}

async function replay({ trace, state }: PowerOptions, seed: number, place: string): Promise<Report> {
  const failure = await replayState(readTrace(trace), state, { seed, states: 1, slice: 0, slices: 1, place });
  const findings = failure ? [describe({ name: basename(trace), trace }, failure, seed)] : [];
  return { figures: { states: 1 }, findings };
}
