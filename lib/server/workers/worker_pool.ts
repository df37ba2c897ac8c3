/** Several workers that serve at one port, and the main isolate that starts them, replaces them and ends them. */

import type { SqliteStore } from "../../stores/sqlite/store.ts";
import { findFirstKey, keyLocationOf } from "../first_key.ts";
import { seedDatabase } from "../transfer/seed.ts";
import { DENO_STORES } from "../deno/stores.ts";
import type { StartableServer } from "../host.ts";
import type { LineWriter } from "../log/line_writer.ts";
import { oneLine, type StartFacts } from "../log/messages.ts";
import { createLimitMemory } from "../../access/limit_table.ts";
import type { LimitMemory } from "../../access/rate_limit.ts";
import { addSamples, type Samples } from "../metrics/samples.ts";
import { isPermitted, readVariable } from "../process.ts";
import type { ServerSettings } from "../server_settings.ts";
import { firstLine, SettingError } from "../start_error.ts";
import { readStoreSetting, type StoreSetting } from "../store/open_store.ts";
import { resolvesWithin } from "../time.ts";
import type { Sinks } from "../writers.ts";
import { reservePort } from "./port.ts";
import type { Steps, WorkerStart } from "./messages.ts";
import { WorkerHandle } from "./worker_handle.ts";

/** The first and the longest pause before a worker is replaced, in milliseconds. It grows if workers die early. */
const FIRST_PAUSE = 100, LONGEST_PAUSE = 10_000;

/** The time limit of a shutdown step that waits for no client, in milliseconds. An unresponsive worker performs none. */
const STEP_TIMEOUT = 1_000;

const PROGRAM = new URL("./worker.ts", import.meta.url);

export class WorkerPool implements StartableServer {
  readonly #size: number;
  readonly #errors: LineWriter;
  readonly #sinks: Sinks;
  readonly #program: URL;
  /** Shared with the workers, whose readiness depends on it. */
  readonly #missing = new Int32Array(new SharedArrayBuffer(4));
  /** All living workers, whether they serve yet or not. */
  readonly #workers = new Set<WorkerHandle>();
  readonly #serving = new Set<WorkerHandle>();
  #start: Omit<WorkerStart, "port"> | undefined;
  /** The store whose thread writes for all workers. On PostgreSQL each writes for itself. */
  #store: SqliteStore | undefined;
  #listen: Steps["listen"] | undefined;
  /** The counts of workers that have died. Counters must not decrease. */
  #retiredSamples: Samples = {};
  #pause = FIRST_PAUSE;
  #isEnding = false;

  constructor(size: number, errors: LineWriter, sinks: Sinks, program: URL = PROGRAM) {
    this.#size = size;
    this.#errors = errors;
    this.#sinks = sinks;
    this.#program = program;
    this.#updateMissing();
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
    this.#start = {
      settings,
      variables,
      opened: undefined,
      missing: this.#missing,
      limits: createLimits(settings),
    };
    // The port first, so that a start that fails here creates no file, and no key that is never shown.
    using reserved = await reservePort(settings);
    const { seed } = settings;
    if (seed > 0 && storeSetting.openImporter) report(await seedDatabase(await storeSetting.openImporter(), seed));
    this.#store = await storeSetting.openForWorkers?.();
    this.#start.opened = this.#store?.opened;
    const workers = await Promise.all(Array.from({ length: this.#size }, () => this.#open()));
    const key = await this.#findKey(settings.keys, storeSetting);
    const { hostname, port } = reserved;
    this.#listen = { hostname, port, keyLocation: keyLocationOf(key, settings.keys) };
    await Promise.all(workers.map((worker) => this.#serve(worker)));
    return { port, store: storeSetting.description, key };
  }

  /** On PostgreSQL, this isolate has no open store, so it opens one for a moment. */
  async #findKey(configured: readonly string[], storeSetting: StoreSetting): Promise<StartFacts["key"]> {
    if (this.#store || configured.length > 0) return await findFirstKey(configured, this.#store?.keys);
    const store = await storeSetting.open();
    try {
      return await findFirstKey(configured, store.keys);
    } finally {
      await store.close();
    }
  }

  readMetrics(): Samples[] {
    return [this.#retiredSamples, ...Array.from(this.#serving, ({ samples = {} }) => samples)];
  }

  async close(): Promise<void> {
    this.#isEnding = true;
    await this.#performAll("close", undefined);
  }

  async hold(): Promise<void> {
    await resolvesWithin(STEP_TIMEOUT, this.#performAll("hold", undefined));
  }

  async end(timeoutMs: number): Promise<void> {
    this.#isEnding = true;
    // All sockets first. A client that one worker turns away could otherwise wait at the socket of another, which closes.
    await resolvesWithin(STEP_TIMEOUT, this.#performAll("stop", undefined));
    await resolvesWithin(Math.max(timeoutMs, 0) + STEP_TIMEOUT, this.#performAll("end", timeoutMs));
    for (const worker of this.#workers) worker.terminate();
    await this.#store?.close();
  }

  /** Ignores workers that die in the meantime. */
  async #performAll<Step extends keyof Steps>(step: Step, argument: Steps[Step]): Promise<void> {
    await Promise.all(Array.from(this.#workers, (worker) => worker.perform(step, argument).catch(() => {})));
  }

  /** Starts a worker and lets it open the store. */
  async #open(): Promise<WorkerHandle> {
    const worker = new WorkerHandle(this.#program, this.#start!, this.#sinks, this.#store);
    this.#workers.add(worker);
    worker.died.then(() => this.#workers.delete(worker));
    await worker.perform("open", undefined);
    return worker;
  }

  async #serve(worker: WorkerHandle): Promise<void> {
    await worker.perform("listen", this.#listen!);
    this.#serving.add(worker);
    this.#updateMissing();
    const startedAt = performance.now();
    worker.watch((isUnresponsive) => {
      this.#updateMissing();
      this.#report(`a worker ${isUnresponsive ? "does not respond" : "responds again"}`);
    });
    worker.died.then((reason) => {
      this.#serving.delete(worker);
      const { petstore_creates_waiting: _, ...counted } = worker.samples ?? {};
      this.#retiredSamples = addSamples([this.#retiredSamples, counted]);
      this.#updateMissing();
      if (this.#isEnding) return;
      this.#report(`a worker died and is replaced: ${reason.replaceAll(/\n\s*/g, " ")}`);
      if (performance.now() - startedAt > LONGEST_PAUSE) this.#pause = FIRST_PAUSE;
      this.#replace();
    });
  }

  #updateMissing(): void {
    const responding = Array.from(this.#serving).filter(({ isUnresponsive }) => !isUnresponsive).length;
    Atomics.store(this.#missing, 0, this.#size - responding);
  }

  #report(line: string): void {
    this.#errors.add(`petstore: ${oneLine(line)}`);
  }

  /** Waits longer each time, because the next worker may die of the same cause. */
  #replace(): void {
    setTimeout(async () => {
      if (this.#isEnding) return;
      let worker: WorkerHandle | undefined;
      try {
        worker = await this.#open();
        if (this.#isEnding) return;
        await this.#serve(worker);
      } catch (error) {
        worker?.terminate();
        if (this.#isEnding) return;
        this.#report(`a worker cannot be replaced at the moment: ${firstLine(error)}`);
        this.#replace();
      }
    }, this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
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
