/** Contenders as processes, pinned to the servers' core. */

import { fileURLToPath } from "node:url";
import { environment, SERVER, taskFlags } from "../../tests/support/server/serve_task.ts";
import { KEY } from "../catalogue.ts";
import { type Load, type Measurement, runWrk } from "./wrk.ts";
import { SERVER_CORE } from "./cores.ts";
import { type Runtime, runtimeCommand } from "./runtimes.ts";

export interface ServerSpec {
  runtime: Runtime;
  /** A file of the folder `servers`. */
  script: string;
  settings: object;
  /** The core of the processor. Default: that of the servers. */
  core?: number;
}

/** A server's program and the flags that its task gives to `deno run`. */
export interface Program {
  flags: readonly string[];
  script: string;
}

/** The standalone server, as its task starts it. */
export interface StandaloneSpec {
  /** The program. Default: that of this tree. */
  program?: Program;
  /** The database file. */
  path: string;
  /** Receives the access log. */
  log: string;
  flags?: readonly string[];
  env?: Record<string, string>;
  /** It may use both cores, like the load. */
  onAllCores?: boolean;
}

export interface ServerMeasurement extends Measurement {
  /** Requests for each second of the server's processor time. Other work on the core hardly affects it. */
  efficiency: number;
}

export class ServerProcess implements AsyncDisposable {
  readonly port: number;
  readonly #child: Deno.ChildProcess;

  private constructor(child: Deno.ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Starts it and waits until it listens. */
  static async start(spec: ServerSpec): Promise<ServerProcess> {
    const { child, line } = await startPinned(spec);
    return new ServerProcess(child, Number(line));
  }

  /** Starts the standalone server, and waits until it listens. */
  static async startStandalone(
    { program = { flags: taskFlags(), script: SERVER }, path, log, flags = [], env = {}, onAllCores }: StandaloneSpec,
  ): Promise<ServerProcess> {
    const server = ["--port=0", `--key=${KEY}`, `--store=sqlite:${path}`, ...flags];
    const command = [Deno.execPath(), "run", ...program.flags, program.script, ...server];
    const pinned = onAllCores ? command : ["taskset", "-c", String(SERVER_CORE), ...command];
    // A file, because the benchmark would need processor time to read a pipe.
    const line = [`exec "$@" > "$0"`, log, ...pinned];
    const options = { env: { ...environment(), ...env }, clearEnv: true, stderr: "inherit", stdin: "null" } as const;
    const child = spawn("sh", ["-c", ...line], options);
    const isEnded = child.status.then(() => true);
    for (;;) {
      const port = /listens(?: on |.*"address":")http:\/\/[^/]*:(\d+)/.exec(await readText(log))?.[1];
      if (port !== undefined) return new ServerProcess(child, Number(port));
      const isOver = await Promise.race([isEnded, new Promise((resolve) => setTimeout(resolve, START_POLL, false))]);
      if (isOver) throw new Error(`The standalone server ended before it listened; its flags were ${flags.join(" ")}`);
    }
  }

  async measure(load: Load, seconds: number): Promise<ServerMeasurement> {
    const before = this.#usedSeconds();
    const measured = await runWrk(this.port, load, seconds);
    const used = this.#usedSeconds() - before;
    return { ...measured, efficiency: measured.requests / used };
  }

  /** The resident memory, in MB. */
  get memory(): number {
    const status = Deno.readTextFileSync(`/proc/${this.#child.pid}/status`);
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) / 1000;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#child.status;
  }

  /** The processor time of all its threads, in seconds; the first figure of schedstat is in nanoseconds. */
  #usedSeconds(): number {
    const tasks = `/proc/${this.#child.pid}/task`;
    let used = 0;
    for (const { name } of Deno.readDirSync(tasks)) {
      try {
        used += Number(Deno.readTextFileSync(`${tasks}/${name}/schedstat`).split(" ")[0]);
      } catch {
        // The thread has just ended.
      }
    }
    return used / 1e9;
  }
}

/** How often the log of a starting server is read, in milliseconds. */
const START_POLL = 50;

async function readText(path: string): Promise<string> {
  return await Deno.readTextFile(path).catch(() => "");
}

const running = new Set<Deno.ChildProcess>();

/** Starts a process that a signal to the benchmark ends. */
function spawn(command: string, args: readonly string[], options: Deno.CommandOptions): Deno.ChildProcess {
  const child = new Deno.Command(command, { ...options, args: [...args] }).spawn();
  running.add(child);
  child.status.then(() => running.delete(child));
  return child;
}

/** Kills all processes when a signal ends the benchmark. To be called before runTool(), whose listeners end the process. */
export function stopServersOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => running.forEach((child) => child.kill("SIGKILL")));
  }
}

/** Runs a script that ends by itself, pinned like a server, and resolves to the line that it prints. */
export async function runPinned(
  script: string,
  settings: object,
  parts: Partial<Pick<ServerSpec, "runtime" | "core">> = {},
): Promise<string> {
  const { child, line } = await startPinned({ runtime: "Deno", script, settings, ...parts });
  await child.status;
  return line;
}

/** Starts a script and waits for its first line. */
async function startPinned(
  { runtime, script, settings, core = SERVER_CORE }: ServerSpec,
): Promise<{ child: Deno.ChildProcess; line: string }> {
  const path = fileURLToPath(new URL(`../servers/${script}`, import.meta.url));
  const args = ["-c", String(core), ...runtimeCommand(runtime), path, JSON.stringify(settings)];
  const child = spawn("taskset", args, { stdout: "piped", stderr: "inherit", stdin: "null" });
  const line = await firstLine(child.stdout);
  if (line === "") throw new Error(`${script} on ${runtime} ended without printing a line; is ${runtime} installed?`);
  return { child, line };
}

/** The first line of a stream, or "" if it ends without one. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of stream.pipeThrough(new TextDecoderStream()).values({ preventCancel: true })) {
    text += piece;
    if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
  }
  return "";
}
