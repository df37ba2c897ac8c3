/**
 * Runs parts of the tests: `main.ts everyday|all [PART…]`, by default all parts of the kind, several at the same time. A name with a
 * slash at its end stands for the parts that begin with it: `heavy/` and `packages/`. It prints a line for each part that has ended,
 * and at the end what failed, in full, what did not run and why, what each part took, and the total. It exits with 1 if a part failed, and with 2 if a part
 * does not exist. A part that prints nothing for too long is ended.
 */

import { EVERYDAY, HEAVY, PACKAGES, type Part } from "./parts.ts";
import { type Counts, countsIn, errorsIn, failuresIn, reasonsIn, timesOf, total } from "./report.ts";

/** How long a part may print nothing, in milliseconds. It is far longer than any test takes, also on a busy machine. */
const SILENCE = { everyday: 300_000, all: 600_000 };

interface Run {
  name: string;
  /** What the part has printed, without colors. */
  output: string;
  counts: Counts;
  succeeded: boolean;
  /** How long it took, and how much of that was the installation of packages, in milliseconds. */
  took: number;
  installing: number;
}

const [kind, ...names] = Deno.args.filter((arg) => arg !== "--");
const heavy = Object.entries(HEAVY).map(([name, part]) => [`heavy/${name}`, part]);
const known: Record<string, Part> = kind === "everyday"
  ? EVERYDAY
  : { ...Object.fromEntries(heavy), ...PACKAGES, ...EVERYDAY };

function isMeant(part: string, name: string): boolean {
  return name.endsWith("/") ? part.startsWith(name) : part === name;
}

const unknown = names.filter((name) => !Object.keys(known).some((part) => isMeant(part, name)));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}; the parts are ${Object.keys(known).join(", ")}`);
  Deno.exit(2);
}

const chosen = Object.entries(known).filter(([part]) => names.length === 0 || names.some((name) => isMeant(part, name)))
  .sort(([, one], [, other]) => other.seconds - one.seconds);
console.log(`Running ${chosen.map(([name]) => name).join(", ")}`);
const startedAt = performance.now();
const runs: Run[] = [];
const waiting = [...chosen];
// There are more lanes than processors, because each part also waits for disks, clocks and processes.
const lanes = Array.from({ length: navigator.hardwareConcurrency + 1 }, runLane);
await Promise.all(lanes);

const failed = runs.filter(({ succeeded }) => !succeeded);
for (const { name, output } of failed) console.log(`\n${name} failed:\n\n${errorsIn(output)}`);
const reasons = reasonsIn(runs.map(({ output }) => output));
if (reasons.size > 0) console.log("\nNot run:");
for (const [reason, count] of reasons) console.log(`  ${count} because ${reason}`);
if (kind === "everyday") console.log("\nThe tests of other runtimes, hosts and packages run with: deno task test:all");
else console.log(`\n${timesOf(runs)}`);
if (failed.length > 0) console.log("\nFailed:");
for (const { name, output } of failed) {
  for (const failure of failuresIn(output)) console.log(`  ${name}: ${failure}`);
}
console.log(`\n${total(runs.map(({ counts }) => counts), failed.length > 0, performance.now() - startedAt)}`);
Deno.exitCode = failed.length > 0 ? 1 : 0;

/** Runs the parts that still wait, one after the other. */
async function runLane(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [name, { command, installs = [] }] = next;
    const begun = performance.now();
    const installed = await install(installs);
    const installing = performance.now() - begun;
    const { output, succeeded } = installed.succeeded ? await runCommand(command) : installed;
    const { counts, summary } = countsIn(output);
    runs.push({ name, output, counts, succeeded, took: performance.now() - begun, installing });
    console.log(`${name}: ${summary}`);
  }
}

/** Installs the packages of folders, and stops at the first that fails. */
async function install(folders: readonly string[]): Promise<Pick<Run, "output" | "succeeded">> {
  for (const folder of folders) {
    const result = await runCommand(`deno task --cwd ${folder} install`);
    if (!result.succeeded) return result;
  }
  return { output: "", succeeded: true };
}

async function runCommand(command: string): Promise<Pick<Run, "output" | "succeeded">> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "--eval", command],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const decoder = new TextDecoder();
  const limit = SILENCE[kind === "everyday" ? "everyday" : "all"];
  let output = "";
  const end = () => {
    output += `\nThis part printed nothing for ${
      limit / 1000
    } s and was ended. The last line is of the test that hung.\n`;
    child.kill("SIGTERM");
  };
  let timer = setTimeout(end, limit);
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true });
      clearTimeout(timer);
      timer = setTimeout(end, limit);
    }
  };
  await Promise.all([read(child.stdout), read(child.stderr)]);
  const { success } = await child.status;
  clearTimeout(timer);
  return { output, succeeded: success };
}
