/** Processes of a test. Their output is read as it comes, and none outlives its owner. Deno only. */

/** Longer than any start or drain, on a busy machine too, in milliseconds. */
const GUARD = 60_000;

type ChildOptions = Omit<Deno.CommandOptions, "args" | "stdin" | "stdout" | "stderr">;

export class Child implements AsyncDisposable {
  readonly written: { stdout: string; stderr: string } = { stdout: "", stderr: "" };
  /** The exit status, after both outputs have ended. A process killed by a signal has 128 plus its number. */
  readonly ended: Promise<number>;
  readonly pid: number;
  readonly #child: Deno.ChildProcess;
  readonly #watchers = new Set<() => void>();

  constructor(program: string, args: readonly string[], options: ChildOptions = {}) {
    const pipes = { stdin: "null", stdout: "piped", stderr: "piped" } as const;
    this.#child = new Deno.Command(program, { ...options, ...pipes, args: [...args] }).spawn();
    this.pid = this.#child.pid;
    this.ended = this.#follow();
  }

  /** Resolves when an output matches, standard output unless another is named. */
  printed(pattern: RegExp, output: "stdout" | "stderr" = "stdout"): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const look = () => {
      const found = pattern.exec(this.written[output]);
      if (found) resolve(found);
    };
    this.#watchers.add(look);
    look();
    this.ended.then(() => reject(new Error(`It ended without printing ${pattern}: ${this.written.stderr}`)));
    return guarded(promise, `wait for ${pattern}`).finally(() => this.#watchers.delete(look));
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
    return await this.exit(`wait for the end after ${signal}`);
  }

  exit(what = "wait for the end"): Promise<number> {
    return guarded(this.ended, what);
  }

  /** Waits for its end; kills it if that does not come. */
  async run(): Promise<Child["written"] & { status: number }> {
    await using child = this;
    return { status: await child.exit(), ...child.written };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGKILL");
    // A child of its own may hold its outputs open, so this wait has a limit too.
    await this.exit("wait for the end of the outputs after SIGKILL");
  }

  async #follow(): Promise<number> {
    await Promise.all([this.#read("stdout"), this.#read("stderr")]);
    const { code } = await this.#child.status;
    return code;
  }

  async #read(name: "stdout" | "stderr"): Promise<void> {
    for await (const text of this.#child[name].pipeThrough(new TextDecoderStream())) {
      this.written[name] += text;
      for (const look of this.#watchers) look();
    }
  }
}

async function guarded<T>(promise: Promise<T>, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`Gave up: ${what}`)), GUARD);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
