/**
 * Runs parts of the tests: `main.ts everyday|all [PART…]`, by default all of the kind, several at the same time. A name with a slash at
 * its end stands for the parts that begin so: `heavy/` and `packages/`. Shows the
 * output of each in turn, then again the errors of those that failed, and then the summary of each. Exits with 1 if one failed, and
 * with 2 if a part does not exist. A part that says nothing for too long ends, with the name of the test.
 */

import { EVERYDAY, HEAVY, PACKAGES } from "./parts.ts";

/** How much of a part is shown again that failed without an error of a test. */
const LAST_LINES = 30;

/** How long a part may say nothing, in milliseconds: far longer than any of its tests takes, also on a busy machine. */
const SILENCE = { everyday: 300_000, all: 600_000 };

interface Part {
  name: string;
  command: string;
  started: PromiseWithResolvers<Run>;
}

interface Run {
  shown: ReadableStream<Uint8Array>;
  text: Promise<string>;
  status: Promise<Deno.CommandStatus>;
}

const [kind, ...names] = Deno.args.filter((arg) => arg !== "--");
const heavy = Object.entries(HEAVY).map(([name, command]) => [`heavy/${name}`, command]);
const known: Record<string, string> = kind === "everyday"
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
const parts: Part[] = Object.entries(known).filter(([part]) =>
  names.length === 0 || names.some((name) => isMeant(part, name))
)
  .map(([name, command]) => ({ name, command, started: Promise.withResolvers() }));
const waiting = [...parts];
// More than the processors: each part also waits for disks, clocks and processes.
for (let lane = navigator.hardwareConcurrency + 1; lane > 0; lane--) runLane();

/** Runs one part after the other. */
async function runLane(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const run = start(next.command);
    next.started.resolve(run);
    await run.status;
  }
}

function start(command: string): Run {
  const args = ["task", "--quiet", "--eval", command];
  const child = new Deno.Command(Deno.execPath(), {
    args,
    env: colors(),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const { stdout, stderr, status } = child;
  // All outputs are read as they come: a full pipe would stop its part.
  const [shown, read] = endAfterSilence(merge(stdout, stderr), () => child.kill("SIGTERM")).tee();
  return { shown, text: new Response(read).text(), status };
}

/** Streams as one, in the order of their chunks. */
function merge(...streams: ReadableStream<Uint8Array<ArrayBuffer>>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  const copied = streams.map(async (stream) => {
    for await (const chunk of stream) await writer.write(chunk);
  });
  void Promise.all(copied).then(() => writer.close());
  return readable;
}

/** The same stream. After a silence, which a test that hangs makes, it calls `end` and names the last line: that of the test. */
function endAfterSilence(stream: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
  const limit = SILENCE[kind === "everyday" ? "everyday" : "all"];
  const decoder = new TextDecoder();
  let line = "", timer: ReturnType<typeof setTimeout> | undefined;
  return stream.pipeThrough(
    new TransformStream({
      transform(piece, controller) {
        line = (line + decoder.decode(piece, { stream: true })).trimEnd().split("\n").at(-1)!;
        controller.enqueue(piece);
        clearTimeout(timer);
        timer = setTimeout(() => {
          controller.enqueue(new TextEncoder().encode(`\nhung for ${limit / 1000} s: ${line}\n`));
          end();
        }, limit);
      },
      flush: () => clearTimeout(timer),
    }),
  );
}

/** A pipe has no colors unless it is told to. */
function colors(): Record<string, string> {
  return Deno.stdout.isTerminal() && !Deno.noColor ? { FORCE_COLOR: "1" } : {};
}

for (const { started } of parts) {
  await (await started.promise).shown.pipeTo(Deno.stdout.writable, { preventClose: true });
}

const ended = await Promise.all(parts.map(async ({ name, started }) => {
  const { text, status } = await started.promise;
  return { name, text: await text, success: (await status).success };
}));

for (const { name, text, success } of ended) {
  if (!success) console.log(`${name} failed:\n\n${errorsIn(text.trimEnd())}\n`);
}

for (const { name, text, success } of ended) {
  const summaries = text.match(/^.*(?:ok|FAILED)\S* \| .*\d+ passed.*$/gm) ?? ["ended without a summary"];
  // A part may run several runners.
  console.log(`${name}: ${summaries.join("; ")}`);
  if (!success) Deno.exitCode = 1;
}

/** What `deno test` says of failures, or the last lines of a part that failed otherwise. */
function errorsIn(text: string): string {
  const errors = text.match(/^\S* ERRORS \S*\n/m)?.index;
  return errors === undefined ? text.split("\n").slice(-LAST_LINES).join("\n") : text.slice(errors);
}
