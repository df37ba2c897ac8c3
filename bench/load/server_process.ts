/** Contenders that are servers. Each is a process on the servers' core, and wrk makes its load on another core. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatCursor } from "../../lib/operations/paging.ts";
import { environment, NODE, taskFlags } from "../../tests/support/server/serve_task.ts";
import { KEY, requestTo } from "../catalogue.ts";
import type { Contender } from "../rounds.ts";
import type { Sample } from "../row.ts";
import { type Load, runWrk, SERVER_CORE, STOP } from "./wrk.ts";

export type Runtime = "Deno" | "Node";

interface StartOptions {
  /** The cores that the server may use, as `taskset` takes them. Default: the servers' core. */
  cores?: string;
  env?: Record<string, string>;
}

/** The standalone server of a tree, as its task starts it: with an SQLite file and the access log. */
export function startStandalone(root: string, path: string, flags: readonly string[], options?: StartOptions) {
  const command = [Deno.execPath(), "run", ...taskFlags(root), join(root, "server.ts"), "serve", "--port=0"];
  return ServerProcess.start([...command, `--key=${KEY}`, `--store=sqlite:${path}`, ...flags], options);
}

/** A server of the folder `servers`. */
export function startScript(runtime: Runtime, script: string, settings: object): Promise<ServerProcess> {
  const path = fileURLToPath(new URL(`../servers/${script}`, import.meta.url));
  const program = runtime === "Deno"
    ? [Deno.execPath(), "run", "--allow-all"]
    : [NODE, "--disable-warning=ExperimentalWarning"];
  return ServerProcess.start([...program, path, JSON.stringify(settings)]);
}

export class ServerProcess implements Contender {
  readonly port: number;
  readonly #child: Deno.ChildProcess;

  private constructor(child: Deno.ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Starts a program, and waits until it prints where it listens. */
  static async start(command: readonly string[], options: StartOptions = {}): Promise<ServerProcess> {
    const { cores = String(SERVER_CORE), env } = options;
    // The output goes to a file, because the benchmark would need processor time to read an access log from a pipe.
    const log = Deno.makeTempFileSync();
    const child = new Deno.Command("sh", {
      args: ["-c", `exec "$@" > "$0"`, log, "taskset", "-c", cores, ...command],
      env: { ...environment(), ...env },
      clearEnv: true,
      stdin: "null",
      signal: STOP.signal,
    }).spawn();
    const isEnded = child.status.then(() => true);
    for (;;) {
      const port = /listens(?: on |.*"address":")http:\/\/[^/]*:(\d+)/.exec(readFileSync(log, "utf8"))?.[1];
      if (port !== undefined) return new ServerProcess(child, Number(port));
      const isOver = await Promise.race([isEnded, new Promise((resolve) => setTimeout(resolve, 50, false))]);
      if (isOver) throw new Error(`The server ended before it listened: ${command.join(" ")}`);
    }
  }

  async ask({ path, body }: Load): Promise<string> {
    const random = path.replace("{id}", "777").replace("{cursor}", formatCursor(777n));
    const response = await fetch(requestTo(`http://127.0.0.1:${this.port}${random}`, body));
    const text = await response.text();
    if (response.status === (body ? 201 : 200)) return text;
    throw new Error(`A server answers ${random} with ${response.status}: ${text}`);
  }

  async measure(load: Load, warmUp: number, seconds: number): Promise<Sample> {
    await runWrk(this.port, load, warmUp);
    const before = this.#usedSeconds();
    const { requests, rate, p99 } = await runWrk(this.port, load, seconds);
    return { rate, p99, efficiency: requests / (this.#usedSeconds() - before) };
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
