/**
 * Runs tasks with tests, each to its end, and several at the same time: `main.ts [--at-once N] TASK…`. Shows their output in the
 * given order, then again the errors of those that failed, and then the summary of each. Exits with 1 if one of them failed.
 */

import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({ options: { "at-once": { type: "string" } }, allowPositionals: true });

/** How much of a task is shown again that failed without an error of a test. */
const LAST_LINES = 30;

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

const ended = await Promise.all(parts.map(async ({ task, part }) => {
  const { text, status } = await part;
  return { task, text: await text, success: (await status).success };
}));

for (const { task, text, success } of ended) {
  if (!success) console.log(`${task} failed:\n\n${errorsIn(text.trimEnd())}\n`);
}

for (const { task, text, success } of ended) {
  const summaries = text.match(/^.*(?:ok|FAILED)\S* \| .*\d+ passed.*$/gm) ?? ["ended without a summary"];
  // A task may run several runners.
  console.log(`${task}: ${summaries.join("; ")}`);
  if (!success) Deno.exitCode = 1;
}

/** What `deno test` says of failures, or the last lines of a task that failed otherwise. */
function errorsIn(text: string): string {
  const errors = text.match(/^\S* ERRORS \S*\n/m)?.index;
  return errors === undefined ? text.split("\n").slice(-LAST_LINES).join("\n") : text.slice(errors);
}
