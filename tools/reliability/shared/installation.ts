/** Servers on one store, to be put under load and ended. */

import { join } from "node:path";
import type { Random } from "../../../tests/support/random.ts";
import { type ServerParts, ServerProcess } from "../../../tests/support/server/server_process.ts";
import { KEY } from "../../../tests/support/http/requests.ts";
import { checkDatabase, visitDatabase } from "./visitor.ts";

export interface Ending {
  status: number;
  errors: string;
}

export interface Installation extends AsyncDisposable {
  /** The ports of its servers; empty if none runs. */
  readonly ports: readonly number[];
  /** Whether a crash may leave servers running that then answer 503. */
  readonly mayRefuse: boolean;
  /** Starts missing servers on the store as it is. */
  start(): Promise<void>;
  /** Kills with SIGKILL. Resolves when nothing is in progress any more, in a separate database neither. */
  crash(): Promise<void>;
  /** Starts, and kills after some milliseconds, started or not. */
  crashAtStart(delay: number): Promise<void>;
  stop(): Promise<Ending>;
  /** Another program opens the store beside the servers, does something and closes it. Returns what it found wrong. */
  visit(random: Random): Promise<string[]>;
  /** The store checks itself while no server runs, without changes. Returns what is wrong. */
  inspect(): string[];
}

export class SqliteInstallation implements Installation {
  readonly mayRefuse = false;
  readonly #folder: string;
  readonly #parts: ServerParts;
  #server: ServerProcess | undefined;

  /** @param folder Where the server runs. */
  constructor(folder: string, workers = 1) {
    this.#folder = folder;
    // An access log would be most of the load.
    const args = [`--store=sqlite:${FILE}`, `--workers=${workers}`, "--log=off"];
    this.#parts = { args, env: { PETSTORE_KEYS: KEY } };
  }

  get ports(): number[] {
    return this.#server ? [this.#server.port] : [];
  }

  async start(): Promise<void> {
    this.#server ??= await ServerProcess.start(this.#folder, this.#parts);
  }

  async crash(): Promise<void> {
    await this.#server?.stop("SIGKILL");
    this.#server = undefined;
  }

  async crashAtStart(delay: number): Promise<void> {
    await ServerProcess.startAndKill(this.#folder, delay, this.#parts);
  }

  async stop(): Promise<Ending> {
    if (!this.#server) throw new Error("No server is running");
    const status = await this.#server.stop();
    const errors = this.#server.written.stderr;
    this.#server = undefined;
    return { status, errors };
  }

  inspect(): string[] {
    return checkDatabase(join(this.#folder, FILE));
  }

  async visit(random: Random): Promise<string[]> {
    return await visitDatabase(join(this.#folder, FILE), random);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}

const FILE = "pets.db";
