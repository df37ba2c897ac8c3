/** A contender as a process of its own, pinned to the servers' core. */

import { fileURLToPath } from "node:url";
import { type Load, type Measurement, runWrk } from "./wrk.ts";
import { SERVER_CORE } from "./cores.ts";
import { type Runtime, runtimeCommand } from "./runtimes.ts";

/** What is started. */
export interface ServerSpec {
  runtime: Runtime;
  /** A file of the folder `servers`. */
  script: string;
  settings: object;
}

/** What one run measured, of the server too. */
export interface ServerMeasurement extends Measurement {
  /** The share of its core that the server used, 0 to 1. */
  serverShare: number;
  /** Requests for each second of the server's processor time: what is left of `rate` when others take the core away. */
  efficiency: number;
}

/** A running contender. */
export class ServerProcess implements AsyncDisposable {
  readonly port: number;
  readonly #child: Deno.ChildProcess;

  private constructor(child: Deno.ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Starts it and waits until it listens. */
  static async start({ runtime, script, settings }: ServerSpec): Promise<ServerProcess> {
    const { child, line } = await startPinned(runtime, script, settings);
    return new ServerProcess(child, Number(line));
  }

  /** Sends a load and measures. */
  async measure(load: Load, seconds: number): Promise<ServerMeasurement> {
    const before = this.#usedSeconds();
    const measured = await runWrk(this.port, load, seconds);
    const serverShare = (this.#usedSeconds() - before) / seconds;
    return { ...measured, serverShare, efficiency: measured.rate / serverShare };
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
        // The thread has ended in this very moment.
      }
    }
    return used / 1e9;
  }
}

/** Whatever has been started here and has not ended. */
const running = new Set<Deno.ChildProcess>();

/** Ends all of it at once, for when the benchmark itself is told to end. */
export function killServers(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** Runs a script that ends by itself, pinned like a server, and answers with the line that it prints. */
export async function runPinned(script: string, settings: object): Promise<string> {
  const { child, line } = await startPinned("Deno", script, settings);
  await child.status;
  return line;
}

/** Starts a script and waits for its first line. */
async function startPinned(
  runtime: Runtime,
  script: string,
  settings: object,
): Promise<{ child: Deno.ChildProcess; line: string }> {
  const file = await Deno.makeTempFile({ prefix: "petstore-bench-" });
  await Deno.writeTextFile(file, JSON.stringify(settings));
  const path = fileURLToPath(new URL(`../servers/${script}`, import.meta.url));
  const args = ["-c", String(SERVER_CORE), ...runtimeCommand(runtime), path, file];
  const child = new Deno.Command("taskset", { args, stdout: "piped", stderr: "inherit", stdin: "null" }).spawn();
  running.add(child);
  child.status.then(() => running.delete(child));
  const line = await firstLine(child.stdout);
  await Deno.remove(file);
  if (line === "") throw new Error(`${script} on ${runtime} ended before it had said anything`);
  return { child, line };
}

/** The first line of a stream; nothing more is expected of it. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) return "";
    text += value;
  }
  reader.releaseLock();
  return text.slice(0, text.indexOf("\n"));
}
