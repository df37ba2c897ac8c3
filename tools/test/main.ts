/**
 * Runs tasks with tests, each to its end, and several at the same time: `main.ts [--at-once N] TASK…`. Shows their output in the
 * given order, and then the summary of each. Exits with 1 if one of them failed.
 */

import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({ options: { "at-once": { type: "string" } }, allowPositionals: true });

/** The tasks that have not been started. */
const waiting = positionals.map((task) => ({ task, started: Promise.withResolvers<Part>() }));
const parts = waiting.map(({ task, started }) => ({ task, part: started.promise }));

interface Part {
  shown: ReadableStream<Uint8Array>;
  text: Promise<string>;
  status: Promise<Deno.CommandStatus>;
}

function start(task: string): Part {
  const args = ["task", "--quiet", "--eval", `deno task ${task} 2>&1`];
  const child = new Deno.Command(Deno.execPath(), { args, env: colors(), stdin: "null", stdout: "piped" }).spawn();
  // All outputs are read as they come: a full pipe would stop its part.
  const [shown, read] = child.stdout.tee();
  return { shown, text: new Response(read).text(), status: child.status };
}

/** Runs one task after the other. */
async function runLane(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const part = start(next.task);
    next.started.resolve(part);
    await part.status;
  }
}

/** A pipe has no colors unless it is told to. */
function colors(): Record<string, string> {
  return Deno.stdout.isTerminal() && !Deno.noColor ? { FORCE_COLOR: "1" } : {};
}

for (let lane = Number(values["at-once"] ?? positionals.length); lane > 0; lane--) runLane();

for (const { part } of parts) await (await part).shown.pipeTo(Deno.stdout.writable, { preventClose: true });

for (const { task, part } of parts) {
  const { text, status } = await part;
  const summaries = (await text).match(/^.*(?:ok|FAILED)\S* \| .*\d+ passed.*$/gm) ?? ["ended without a summary"];
  // A task may run several runners.
  console.log(`${task}: ${summaries.join("; ")}`);
  if (!(await status).success) Deno.exitCode = 1;
}
