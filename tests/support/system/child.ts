/** Processes of a test. Their output is read as it comes, and none outlives its owner. Deno only. */

import { until } from "../until.ts";

type ChildOptions = Omit<Deno.CommandOptions, "args" | "stdin" | "stdout" | "stderr">;

export class Child implements AsyncDisposable {
  readonly written: { stdout: string; stderr: string } = { stdout: "", stderr: "" };
  /** The exit status, after both outputs have ended. A process killed by a signal has 128 plus its number. */
  readonly ended: Promise<number>;
  readonly pid: number;
  readonly #child: Deno.ChildProcess;
  #hasEnded = false;

  constructor(program: string, args: readonly string[], options: ChildOptions = {}) {
    const pipes = { stdin: "null", stdout: "piped", stderr: "piped" } as const;
    this.#child = new Deno.Command(program, { ...options, ...pipes, args: [...args] }).spawn();
    this.pid = this.#child.pid;
    this.ended = this.#follow();
  }

  /** Resolves when an output matches, standard output unless another is named. */
  async printed(pattern: RegExp, output: "stdout" | "stderr" = "stdout"): Promise<RegExpExecArray> {
    await until(`${pattern}`, () => this.#hasEnded || pattern.test(this.written[output]));
    const found = pattern.exec(this.written[output]);
    if (!found) throw new Error(`It ended without printing ${pattern}: ${this.written.stderr}`);
    return found;
  }

  /** Resolves when something listens at this port of this machine. */
  async accepts(port: number): Promise<void> {
    const connects = () =>
      Deno.connect({ hostname: "127.0.0.1", port }).then((socket) => (socket.close(), true), () => false);
    await until(`a connection to port ${port}`, async () => this.#hasEnded || await connects());
    if (this.#hasEnded) throw new Error(`It ended before it listened: ${this.written.stderr}`);
  }

  kill(signal: Deno.Signal = "SIGTERM"): void {
    try {
      this.#child.kill(signal);
    } catch {
      // It has ended.
    }
  }

  async stop(signal: Deno.Signal = "SIGTERM"): Promise<number> {
    this.kill(signal);
    return await this.exit(`the end of a process after ${signal}`);
  }

  async exit(what = "the end of a process"): Promise<number> {
    await until(what, () => this.#hasEnded);
    return await this.ended;
  }

  /** Waits for its end; kills it if that does not come. */
  async run(): Promise<Child["written"] & { status: number }> {
    await using child = this;
    return { status: await child.exit(), ...child.written };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGKILL");
    // A child of its own may hold its outputs open, so this wait has a limit too.
    await this.exit("the end of the outputs of a process after SIGKILL");
  }

  async #follow(): Promise<number> {
    await Promise.all([this.#read("stdout"), this.#read("stderr")]);
    const { code } = await this.#child.status;
    this.#hasEnded = true;
    return code;
  }

  async #read(name: "stdout" | "stderr"): Promise<void> {
    for await (const text of this.#child[name].pipeThrough(new TextDecoderStream())) this.written[name] += text;
  }
}
