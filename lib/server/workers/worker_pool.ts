/** Several workers that serve at one port, and the main isolate that starts them, replaces them and ends them. */

import type { SqliteStore } from "../../stores/sqlite/store.ts";
import { findFirstKey, type FirstKey } from "../first_key.ts";
import { seedDatabase } from "../transfer/seed.ts";
import { DENO_STORES } from "../deno/stores.ts";
import type { StartableServer } from "../host.ts";
import type { LineWriter } from "../log/line_writer.ts";
import type { StartFacts } from "../log/messages.ts";
import { createLimitMemory } from "../../access/limit_table.ts";
import type { LimitMemory } from "../../access/rate_limit.ts";
import type { Samples } from "../metrics/samples.ts";
import { isPermitted, readVariable } from "../process.ts";
import type { ServerSettings } from "../server_settings.ts";
import { SettingError } from "../start_error.ts";
import { readStoreSetting, type StoreSetting } from "../store/open_store.ts";
import type { Sinks } from "../writers.ts";
import { Crew } from "./crew.ts";
import { reservePort } from "./port.ts";
import { WorkerHandle } from "./worker_handle.ts";

const PROGRAM = new URL("./worker.ts", import.meta.url);

export class WorkerPool implements StartableServer {
  readonly #size: number;
  readonly #errors: LineWriter;
  readonly #sinks: Sinks;
  readonly #program: URL;
  #crew: Crew | undefined;
  /** The store whose thread writes for all workers. On PostgreSQL each writes for itself. */
  #store: SqliteStore | undefined;

  constructor(size: number, errors: LineWriter, sinks: Sinks, program: URL = PROGRAM) {
    this.#size = size;
    this.#errors = errors;
    this.#sinks = sinks;
    this.#program = program;
  }

  async start(
    settings: ServerSettings,
    report: (line: string) => void,
  ): Promise<Pick<StartFacts, "port" | "store" | "key">> {
    requirePlatform();
    requireProgram();
    const variables: Record<string, string> = {};
    const storeSetting = readStoreSetting(settings.store, (name) => {
      const value = readVariable(name);
      if (value !== undefined) variables[name] = value;
      return value;
    }, DENO_STORES);
    requireShareable(storeSetting);
    // The port first, so that a start that fails here creates no file, and no key that is never shown.
    using reserved = await reservePort(settings);
    const { seed } = settings;
    if (seed > 0 && storeSetting.openImporter) report(await seedDatabase(await storeSetting.openImporter(), seed));
    this.#store = await storeSetting.openForWorkers?.();
    const shared = { settings, variables, opened: this.#store?.opened, limits: createLimits(settings) };
    const crew = this.#crew = new Crew(this.#size, this.#errors, (missing) => {
      return new WorkerHandle(this.#program, { ...shared, missing }, this.#sinks, this.#store);
    });
    const { hostname, port } = reserved;
    let key!: FirstKey;
    await crew.start(async () => {
      key = await this.#findKey(settings.keys, storeSetting);
      return { hostname, port, keyLocation: key.location };
    });
    return { port, store: storeSetting.description, key };
  }

  /** On PostgreSQL, this isolate has no open store, so it opens one for a moment. */
  async #findKey(configured: readonly string[], storeSetting: StoreSetting): Promise<FirstKey> {
    if (this.#store || configured.length > 0) return await findFirstKey(configured, this.#store?.keys);
    const store = await storeSetting.open();
    try {
      return await findFirstKey(configured, store.keys);
    } finally {
      await store.close();
    }
  }

  readMetrics(): Samples[] {
    return this.#crew?.readMetrics() ?? [];
  }

  async close(): Promise<void> {
    await this.#crew?.close();
  }

  async hold(): Promise<void> {
    await this.#crew?.hold();
  }

  async end(timeoutMs: number): Promise<void> {
    await this.#crew?.end(timeoutMs);
    await this.#store?.close();
  }
}

function createLimits({ rateLimit }: ServerSettings): LimitMemory | undefined {
  if (!rateLimit) return undefined;
  const create = () => createLimitMemory((bytes) => new SharedArrayBuffer(bytes));
  return { callers: create(), addresses: create() };
}

/** Deno ends the process if the flag is missing, with which alone `listenDatagram()` exists. */
function requirePlatform(): void {
  if (Deno.build.os !== "linux") {
    throw new SettingError("Several workers can share a port on Linux only; set --workers 1");
  }
  if ("listenDatagram" in Deno) return;
  throw new SettingError("Several workers need deno run --unstable-net, as in the task serve; or set --workers 1");
}

/** The main program needs no permission to read its own modules, but the programs of workers do. */
function requireProgram(): void {
  for (const path of ["../../", "../../../deno.json"].map((path) => new URL(path, import.meta.url))) {
    if (path.protocol !== "file:" || isPermitted({ name: "read", path })) continue;
    throw new SettingError(`Several workers need the permission to read ${path.pathname}`);
  }
}

function requireShareable({ isShareable, description }: StoreSetting): void {
  if (isShareable) return;
  throw new SettingError(`Several workers cannot share the store ${description}; set --workers 1 or another store`);
}
