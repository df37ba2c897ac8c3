/** Where a workload runs: a folder, and the programs in it, which are recorded. */

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { environment, serverCommand } from "../../support/server/serve_task.ts";
import { originOf, type ServerExit, STARTED } from "../../support/server/server_process.ts";
import { Child } from "../../support/system/child.ts";
import type { Recording } from "./recording.ts";
import type { Intent } from "./promises.ts";
import { addNote } from "./trace.ts";

export type Runtime = "deno" | "node";

export const FILE = "pets.db", KEY = "k";

/** A create that commits fails only while another program has the file. */
const RETRY_PAUSE = 5;

export class Stage implements AsyncDisposable {
  readonly folder: string;
  readonly #runtime: Runtime;
  readonly #recording: Recording;
  #server: Child | undefined;
  #count = 0;

  constructor(folder: string, runtime: Runtime, recording: Recording) {
    this.folder = folder;
    this.#runtime = runtime;
    this.#recording = recording;
  }

  note(intent: Intent): void {
    addNote(this.#recording.trace, intent);
  }

  /** Says how a server starts here, for the checks too: on a file with a key, or as a first start. */
  useStore(isFirstStart = false): string[] {
    const serve = isFirstStart ? ["--log=off"] : [`--key=${KEY}`, `--store=sqlite:${FILE}`, "--log=off"];
    this.note({ kind: "store", serve, ...(!isFirstStart && { key: KEY }) });
    return serve;
  }

  /** Starts the server. There is one at a time. */
  async serve(args: readonly string[]): Promise<void> {
    this.#server = this.#start(["serve", "--port=0", ...args]);
    await this.#server.printed(STARTED);
  }

  /** Runs a command of the program, which must succeed. */
  async run(...args: string[]): Promise<ServerExit> {
    const exit = await this.#start(args).run();
    assert.equal(exit.status, 0, exit.stderr);
    return exit;
  }

  #start(args: readonly string[]): Child {
    const [program = "", ...line] = [...serverCommand(this.#runtime === "node"), ...args];
    const env = { ...environment(), ...this.#recording.env };
    return new Child(program, line, { cwd: this.folder, clearEnv: true, env });
  }

  /** A pet of its own, with an Idempotency-Key, until it is acknowledged. */
  async create(apiKey: string = KEY): Promise<void> {
    const name = `Luna ${this.#count++}`, key = name.replace(" ", "-"), body = `{"name":"${name}","categoryId":7}`;
    this.note({ kind: "create", name, body, key, apiKey });
    for (;;) {
      const headers = { ...auth(apiKey), "content-type": "application/json", "idempotency-key": key };
      const response = await fetch(this.#pets, { method: "POST", headers, body });
      const text = await response.text();
      if (response.status === 201) return;
      assert.equal(response.status, 503, text);
      await pause(RETRY_PAUSE);
    }
  }

  /** At once, so that the thread that writes commits them. */
  async createMany(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.create()));
  }

  async list(key: string = KEY): Promise<void> {
    const response = await fetch(`${this.#pets}?limit=100`, { headers: auth(key) });
    assert.equal(response.status, 200, await response.text());
  }

  async stop(): Promise<void> {
    assert.equal(await this.#server?.stop(), 0, this.#server?.written.stderr);
  }

  get #pets(): string {
    return `${originOf(this.#server?.written.stdout ?? "")}/v1/pets`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}

function auth(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}
