/** Where a workload runs: a folder, and the programs in it, which are recorded. */

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { environment, serverCommand } from "../../support/server/serve_task.ts";
import { originOf, type ServerExit, STARTED } from "../../support/server/server_process.ts";
import { Child } from "../../support/system/child.ts";
import type { Random } from "../../support/random.ts";
import { drawPet } from "../../../tools/reliability/shared/pets.ts";
import type { Recording } from "./recording.ts";
import type { Intent } from "./promises.ts";
import { addNote } from "./trace.ts";

export type Runtime = "deno" | "node";

export const FILE = "pets.db", KEY = "k";

/** A create that commits fails only while another program has the file. */
const RETRY_PAUSE = 5;

export interface Server {
  child: Child;
  origin: string;
}

export class Stage implements AsyncDisposable {
  readonly folder: string;
  readonly runtime: Runtime;
  readonly random: Random;
  readonly #recording: Recording;
  readonly #servers: Child[] = [];
  #count = 0;

  constructor(folder: string, runtime: Runtime, random: Random, recording: Recording) {
    this.folder = folder;
    this.runtime = runtime;
    this.random = random;
    this.#recording = recording;
  }

  note(intent: Intent): void {
    addNote(this.#recording.trace, intent);
  }

  /** Says how a server starts here, for the checks too. */
  useStore(path: string = FILE, key: string = KEY): string[] {
    const serve = [`--key=${key}`, `--store=sqlite:${path}`, "--log=off"];
    this.note({ kind: "store", path, serve, key });
    return serve;
  }

  async serve(...args: string[]): Promise<Server> {
    const child = this.#start([...serverCommand(this.runtime === "node"), "serve", "--port=0", ...args]);
    this.#servers.push(child);
    await child.printed(STARTED);
    return { child, origin: originOf(child.written.stdout) };
  }

  /** Runs a command of the program, which must succeed. */
  async run(...args: string[]): Promise<ServerExit> {
    const exit = await this.#start([...serverCommand(this.runtime === "node"), ...args]).run();
    assert.equal(exit.status, 0, exit.stderr);
    return exit;
  }

  #start([program = "", ...args]: readonly string[]): Child {
    const env = { ...environment(), ...this.#recording.env };
    return new Child(program, args, { cwd: this.folder, clearEnv: true, env });
  }

  /** A pet of its own, with an Idempotency-Key, until it is acknowledged. */
  async create({ origin }: Server, key: string = KEY): Promise<string> {
    const pet = drawPet(this.random, `${this.#count++}`);
    this.note({ kind: "create", name: pet.name, body: pet.body, key: pet.key, apiKey: key });
    for (;;) {
      const headers = { ...auth(key), "content-type": "application/json", "idempotency-key": pet.key };
      const response = await fetch(`${origin}/v1/pets`, { method: "POST", headers, body: pet.body });
      const text = await response.text();
      if (response.status === 201) return pet.name;
      assert.equal(response.status, 503, text);
      await pause(RETRY_PAUSE);
    }
  }

  /** At once, so that the thread that writes commits them. */
  createMany(server: Server, count: number): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, () => this.create(server)));
  }

  async list({ origin }: Server, key: string = KEY): Promise<void> {
    const response = await fetch(`${origin}/v1/pets?limit=100`, { headers: auth(key) });
    assert.equal(response.status, 200, await response.text());
  }

  async stop({ child }: Server): Promise<void> {
    assert.equal(await child.stop(), 0, child.written.stderr);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) await server[Symbol.asyncDispose]();
  }
}

function auth(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}
