/** Builds and runs delay_proxy.c: a network between processes of this machine. */

import { join } from "node:path";
import { command } from "../../tests/support/system/commands.ts";
import { LOAD_CORE } from "./cores.ts";

const SOURCE = new URL("delay_proxy.c", import.meta.url).pathname;

export class DelayProxy implements AsyncDisposable {
  readonly port: number;
  readonly #child: Deno.ChildProcess;
  readonly #settings: WritableStreamDefaultWriter<Uint8Array>;

  private constructor(child: Deno.ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    this.#settings = child.stdin.getWriter();
  }

  /** Starts one on the core of the load, with no delay at first. */
  static async start(folder: string, target: number): Promise<DelayProxy> {
    const program = join(folder, "delay_proxy");
    command("cc", "-O2", "-o", program, SOURCE);
    const args = ["-c", String(LOAD_CORE), program, String(target)];
    const child = new Deno.Command("taskset", { args, stdin: "piped", stdout: "piped" }).spawn();
    const { value } = await child.stdout.getReader().read();
    return new DelayProxy(child, Number(new TextDecoder().decode(value)));
  }

  /** Half of it in each direction. */
  async setRoundTrip(milliseconds: number): Promise<void> {
    await this.#settings.write(new TextEncoder().encode(`${milliseconds * 500}\n`));
  }

  /** Like the end of this process, the end of its input ends it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#settings.close();
    await this.#child.status;
  }
}
