/** The environment of the cases: servers that are started once, a temporary folder and the effort. */

import { join } from "node:path";
import { ROOT } from "../tests/support/server/serve_task.ts";
import { CATALOGUE_SIZE } from "./catalogue.ts";
import type { Runtime } from "./load/runtimes.ts";
import { runPinned, ServerProcess, type ServerSpec, type StandaloneSpec } from "./load/server_process.ts";
import type { Effort } from "./rounds.ts";
import type { Outcome } from "./row.ts";
import type { HandwrittenSettings } from "./servers/handwritten.ts";
import type { StoredResponse } from "./servers/limit.ts";
import type { PeerSettings } from "./servers/peer_pets.ts";

/** A question and its measurement. */
export interface Case {
  /** The name for `--only`. */
  name: string;
  /** Whether `--quick` includes it. */
  quick: boolean;
  run(bench: Bench): Promise<Outcome>;
}

/** Cases that share their servers. */
export type Group = readonly Case[];

export type PeerScript = "hono.ts" | "fastify.ts";

/** The environment of a group. */
export class Bench implements AsyncDisposable {
  readonly effort: Effort;
  readonly folder: string;
  readonly #servers = new Map<string, ServerProcess>();
  #files = 0;

  constructor(effort: Effort, folder: string) {
    this.effort = effort;
    this.folder = folder;
  }

  /** The petstore with a store of this kind; the same server for every call. */
  petstore(store: "memory" | "sqlite", runtime: Runtime = "Deno") {
    const path = join(this.folder, `${store}-${this.#files++}.db`);
    return this.#server(`petstore ${store} ${runtime}`, runtime, "petstore.ts", { store, path });
  }

  /** A peer, with its pets in an SQLite file or in memory; the same server for every call. */
  peer(
    script: PeerScript,
    runtime: Runtime,
    store: "sqlite" | "memory" = "memory",
    pets: number = CATALOGUE_SIZE,
  ): Promise<ServerProcess> {
    const path = join(this.folder, `${script}-${this.#files++}.db`);
    const settings: PeerSettings = { pets, ...store === "sqlite" && { path } };
    return this.#server(`${script} ${runtime} ${store}`, runtime, script, settings);
  }

  /** A server written by hand, with this number of pets in an SQLite file or, without a number, in a Map. */
  handwritten(runtime: Runtime, pets?: number): Promise<ServerProcess> {
    const path = join(this.folder, `handwritten-${this.#files++}.db`);
    const settings: HandwrittenSettings = pets === undefined ? { pets: CATALOGUE_SIZE } : { pets, path };
    return this.#server(`handwritten ${runtime} ${pets}`, runtime, "handwritten.ts", settings);
  }

  /** A bare server that sends these responses; a new one for every call. */
  async limit(responses: readonly StoredResponse[], runtime: Runtime = "Deno"): Promise<ServerProcess> {
    const number = this.#files++;
    const path = join(this.folder, `responses-${number}.json`);
    await Deno.writeTextFile(path, JSON.stringify(responses));
    const script = runtime === "Node" ? "limit_node.ts" : "limit.ts";
    return await this.#server(`limit ${number}`, runtime, script, { responses: path });
  }

  /** The standalone server with a catalogue in an SQLite file, its default; the same server for every call with this name. */
  async standalone(
    name: string,
    spec: Omit<StandaloneSpec, "path" | "log"> & { log?: string } = {},
    pets: number = CATALOGUE_SIZE,
  ): Promise<ServerProcess> {
    const key = `standalone ${name}`;
    const running = this.#servers.get(key);
    if (running) return running;
    const path = join(this.folder, `standalone-${this.#files++}.db`);
    await runPinned("fill_database.ts", { path, pets });
    const server = await ServerProcess.startStandalone({ log: `${path}.log`, ...spec, path });
    this.#servers.set(key, server);
    return server;
  }

  /** The library, whose `handle()` is called without a socket; the same server for every call. */
  library(): Promise<ServerProcess> {
    return this.#server("library", "Deno", "library.ts", { root: ROOT });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers.values()) await server[Symbol.asyncDispose]();
  }

  async #server(
    key: string,
    runtime: Runtime,
    script: string,
    settings: object,
    parts: Pick<ServerSpec, "env" | "core"> = {},
  ): Promise<ServerProcess> {
    const running = this.#servers.get(key);
    if (running) return running;
    const server = await ServerProcess.start({ runtime, script, settings, ...parts });
    this.#servers.set(key, server);
    return server;
  }
}
