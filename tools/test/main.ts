/**
 * Runs parts of the tests: `main.ts everyday|all [PART…]`, by default all parts of the kind,
 * several at the same time. A name with a slash at its end stands for the parts that begin with it:
 * `heavy/` and `packages/`. It prints a line for each part that has ended, and at the end what
 * failed, in full, what did not run and why, and the total. It exits with 1 if a part failed, and
 * with 2 if a part does not exist.
 */

import { EVERYDAY, HEAVY, PACKAGES, type Part } from "./parts.ts";
import { errorsIn, reasonsIn, totalOf } from "./report.ts";

interface Run {
  name: string;
  /** What the part has printed, without colors. */
  output: string;
  success: boolean;
}

const [kind, ...names] = Deno.args.filter((arg) => arg !== "--");
const heavy = Object.entries(HEAVY).map(([name, part]) => [`heavy/${name}`, part]);
const known: Record<string, Part> = kind === "everyday"
  ? EVERYDAY
  : { ...Object.fromEntries(heavy), ...EVERYDAY, ...PACKAGES };
const isMeant = (part: string, name: string) => name.endsWith("/") ? part.startsWith(name) : part === name;

const unknown = names.filter((name) => !Object.keys(known).some((part) => isMeant(part, name)));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}; the parts are ${Object.keys(known).join(", ")}`);
  Deno.exit(2);
}

const waiting = Object.entries(known).filter(([part]) =>
  names.length === 0 || names.some((name) => isMeant(part, name))
);
console.log(`Running ${waiting.map(([name]) => name).join(", ")}`);
const startedAt = performance.now();
const runs: Run[] = [];
// There are more lanes than processors, because each part also waits for disks, clocks and processes.
await Promise.all(Array.from({ length: navigator.hardwareConcurrency + 1 }, runLane));

const failed = runs.filter(({ success }) => !success);
const outputs = runs.map(({ output }) => output);
for (const { name, output } of failed) console.log(`\n${name} failed:\n\n${errorsIn(output)}`);
for (const [reason, count] of reasonsIn(outputs)) console.log(`Not run: ${count} because ${reason}`);
if (kind === "everyday") console.log("\nThe tests of other runtimes, hosts and packages run with: deno task test:all");
const result = failed.length > 0 ? `FAILED in ${failed.map(({ name }) => name).join(", ")}` : "ok";
console.log(`\n${result} | ${totalOf(outputs)} (${secondsSince(startedAt)})`);
Deno.exitCode = failed.length > 0 ? 1 : 0;

function secondsSince(begin: number): string {
  return `${Math.round((performance.now() - begin) / 1000)} s`;
}

/** Runs the parts that still wait, one after the other. */
async function runLane(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [name, { command, installs }] = next;
    const begun = performance.now();
    const run = await runCommand(installs ? `deno task --cwd ${installs} install && ${command}` : command);
    runs.push({ name, ...run });
    console.log(`${name}: ${run.success ? "ok" : "FAILED"} | ${totalOf([run.output])} (${secondsSince(begun)})`);
  }
}

async function runCommand(command: string): Promise<Omit<Run, "name">> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "--eval", command],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const [output, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { output: `${output}${errors}`, success };
}
