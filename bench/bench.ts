/** The environment of the cases: servers that are started once, a temporary folder and the effort. */

import { join } from "node:path";
import { ROOT } from "../tests/support/server/serve_task.ts";
import { CATALOGUE_SIZE } from "./catalogue.ts";
import type { Runtime } from "./load/runtimes.ts";
import { runPinned, ServerProcess, type StandaloneSpec } from "./load/server_process.ts";
import type { Effort } from "./rounds.ts";
import type { Row } from "./row.ts";
import type { StoredResponse } from "./servers/limit.ts";

/** A question and its measurement. */
export interface Case {
  /** The name for `--only`. */
  name: string;
  run(bench: Bench): Promise<readonly Row[]>;
}

/** Cases that share their servers. */
export type Group = readonly Case[];

export type PeerScript = "hono.ts" | "fastify.ts";

/** The environment of a group. Each of its servers is started at the first call with these arguments. */
export class Bench implements AsyncDisposable {
  readonly effort: Effort;
  readonly folder: string;
  readonly #servers = new Map<string, ServerProcess>();
  #files = 0;

  constructor(effort: Effort, folder: string) {
    this.effort = effort;
    this.folder = folder;
  }

  /** The library with its pets in memory. */
  library(runtime: Runtime): Promise<ServerProcess> {
    return this.#start(runtime, "library.ts", { root: ROOT, pets: CATALOGUE_SIZE });
  }

  /** A peer with its pets in an SQLite file. */
  peer(script: PeerScript, runtime: Runtime, pets: number = CATALOGUE_SIZE): Promise<ServerProcess> {
    return this.#start(runtime, script, { pets, path: join(this.folder, `${script}-${runtime}.db`) });
  }

  /** A bare server that sends this response. */
  limit(response: StoredResponse, runtime: Runtime): Promise<ServerProcess> {
    return this.#start(runtime, runtime === "Node" ? "limit_node.ts" : "limit.ts", response);
  }

  /** The standalone server with a catalogue in an SQLite file, its default. */
  standalone(spec: Pick<StandaloneSpec, "flags" | "env"> = {}, pets: number = CATALOGUE_SIZE): Promise<ServerProcess> {
    return this.#once(JSON.stringify([spec, pets]), async () => {
      const path = join(this.folder, `standalone-${this.#files++}.db`);
      await runPinned("fill_database.ts", { path, pets });
      return await ServerProcess.startStandalone({ log: `${path}.log`, ...spec, path });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers.values()) await server[Symbol.asyncDispose]();
  }

  #start(runtime: Runtime, script: string, settings: object): Promise<ServerProcess> {
    const spec = { runtime, script, settings };
    return this.#once(JSON.stringify(spec), () => ServerProcess.start(spec));
  }

  async #once(key: string, start: () => Promise<ServerProcess>): Promise<ServerProcess> {
    const server = this.#servers.get(key) ?? await start();
    this.#servers.set(key, server);
    return server;
  }
}
