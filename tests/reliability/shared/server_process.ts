/** The standalone server as its users start it: a process of its own, with the permissions of the task `serve`. */

import { fileURLToPath } from "node:url";
import { KEY } from "./client.ts";
import { environment, taskFlags } from "../../support/serve_task.ts";

/** The last line of what is printed at the start; the port is in the first one. */
const STARTED = / listens on http:\/\/[^\n]*:(\d+)\/v1\n[^]*^ {2}try .*\n/m;

/** Longer than any start or drain takes, in milliseconds. */
const GUARD = 20_000;

/** How much of what a server writes is kept; the rest is read all the same, so that the server can go on writing. */
const KEPT = 16_384;

/** Whatever has been started here and has not ended. */
const running = new Set<Deno.ChildProcess>();

/** Ends all of it at once, for when the tool itself is told to end. */
export function killAll(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** A server that listens. */
export class ServerProcess implements AsyncDisposable {
  readonly port: number;
  readonly #child: Deno.ChildProcess;
  readonly #errors: Output;

  private constructor(child: Deno.ChildProcess, port: number, errors: Output) {
    this.#child = child;
    this.port = port;
    this.#errors = errors;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** What it has written on standard error so far, from the beginning. */
  get errors(): string {
    return this.#errors.text;
  }

  /** Starts one in a folder and waits until it listens. */
  static async start(folder: string, ...args: string[]): Promise<ServerProcess> {
    const child = spawn(folder, args);
    const errors = follow(child.stderr);
    const output = follow(child.stdout);
    const started = await within(output.has(STARTED), "for a server to start").catch(() => null);
    if (started) return new ServerProcess(child, Number(started[1]), errors);
    child.kill("SIGKILL");
    await errors.ended;
    throw new Error(`The server did not start: ${errors.text}`);
  }

  /** Starts one and kills it after so many milliseconds, wherever it then is. */
  static async startAndKill(folder: string, delay: number, ...args: string[]): Promise<void> {
    const child = spawn(folder, args);
    const ends = [follow(child.stdout).ended, follow(child.stderr).ended];
    await new Promise((resolve) => setTimeout(resolve, delay));
    child.kill("SIGKILL");
    await Promise.all([...ends, child.status]);
  }

  /** Sends a signal and resolves with the exit status; a process that a signal killed has 128 and its number. */
  async stop(signal: Deno.Signal = "SIGTERM"): Promise<number> {
    this.#child.kill(signal);
    const { code } = await within(this.#child.status, `for the end after ${signal}`);
    await this.#errors.ended;
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (running.has(this.#child)) this.#child.kill("SIGKILL");
    await this.#child.status;
    await this.#errors.ended;
  }
}

function spawn(folder: string, args: string[]): Deno.ChildProcess {
  const script = fileURLToPath(new URL("../../../server.ts", import.meta.url));
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", ...taskFlags(), script, "--port=0", ...args],
    cwd: folder,
    clearEnv: true,
    env: { ...environment(), PETSTORE_KEYS: KEY },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  return track(command.spawn());
}

/** Keeps a process in mind, for {@link killAll}. */
export function track(child: Deno.ChildProcess): Deno.ChildProcess {
  running.add(child);
  child.status.then(() => running.delete(child));
  return child;
}

interface Output {
  text: string;
  ended: Promise<void>;
  /** Resolves when the text matches, and with `null` if it ends before. */
  has(pattern: RegExp): Promise<RegExpExecArray | null>;
}

function follow(stream: ReadableStream<Uint8Array>): Output {
  const output: Output = { text: "", ended: read(), has };
  let look = () => {};

  async function read(): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      if (output.text.length < KEPT) output.text += text;
      look();
    }
  }

  function has(pattern: RegExp): Promise<RegExpExecArray | null> {
    return new Promise((resolve) => {
      look = () => {
        const found = pattern.exec(output.text);
        if (found) resolve(found);
        if (found) look = () => {};
      };
      output.ended.then(() => resolve(pattern.exec(output.text)));
      look();
    });
  }

  return output;
}

async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited too long ${what}`)), GUARD);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
