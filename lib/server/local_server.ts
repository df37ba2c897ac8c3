/** Serves in the present isolate: a listener, a gate behind it, and the service with its store behind that. */

import { checkContract, checkOptions, type PetstoreOptions } from "../service/options.ts";
import { type PetStore, StoreUnavailableError } from "../stores/store.ts";
import { Gate } from "./gate.ts";
import type { CommittingStore } from "../stores/batch.ts";
import type { LimitMemory } from "../access/rate_limit.ts";
import type { Observer } from "../http/pipeline.ts";
import { DEPRECATED_PATH } from "../service/routes.ts";
import { Metrics } from "./metrics/metrics.ts";
import type { Samples } from "./metrics/samples.ts";
import type { Address, EndingServer, Listen, Listener } from "./host.ts";
import { createJsonLog, createTextLog } from "./log/access_log.ts";
import { describeFailure } from "./log/messages.ts";
import { isColoured } from "./process.ts";
import { createServerPipeline } from "./server_pipeline.ts";
import type { ServerSettings } from "./settings.ts";
import { SettingError } from "./start_error.ts";
import type { Writers } from "./writers.ts";

export class LocalServer implements EndingServer {
  readonly #writers: Writers;
  readonly #listen: Listen;
  readonly #gate = new Gate();
  #listener: Listener | undefined;
  #store: PetStore | undefined;
  #metrics: Metrics | undefined;

  constructor(writers: Writers, listen: Listen) {
    this.#writers = writers;
    this.#listen = listen;
  }

  /**
   * Listens. Every request is refused until {@link serve}.
   *
   * @returns The port.
   * @throws {SettingError} If it cannot listen at this address.
   */
  async listen(address: Address): Promise<number> {
    const report = (line: string) => this.#writers.errors.add(`petstore: ${line}`);
    this.#listener = await this.#listen(address, this.#gate, report);
    return this.#listener.port;
  }

  /** Takes over the store, which {@link end} closes. */
  own(store: PetStore): void {
    this.#store = store;
  }

  /**
   * Answers requests from its store.
   *
   * @param isComplete Whether the isolates beside this one serve too.
   * @param limits Where they count requests together.
   */
  serve(settings: ServerSettings, isComplete: () => boolean, limits?: LimitMemory): void {
    const { output, errors } = this.#writers;
    const store = this.#store;
    if (!store) throw new Error("The server owns no store yet");
    const isJson = settings.log === "json";
    const onError: PetstoreOptions["onError"] = (error, request, id) => {
      if (error instanceof StoreUnavailableError) this.#metrics?.onStoreError();
      errors.add(describeFailure(error, request, id, isJson));
    };
    const options = { ...readOptions(settings), store, onError };
    const log = settings.log === "off"
      ? undefined
      : isJson
      ? createJsonLog(output)
      : createTextLog(output, isColoured());
    if (settings.metrics) this.#metrics = createMetrics(checkContract(options).basePath + DEPRECATED_PATH, store);
    const observe = both(log, this.#metrics?.observe);
    const parts = { gate: this.#gate.guard, observe, hasDocs: settings.docs, isComplete, limits };
    this.#gate.open(createServerPipeline(options, parts));
  }

  close(): Promise<void> {
    return this.#gate.close();
  }

  hold(): Promise<void> {
    this.#gate.hold();
    return Promise.resolve();
  }

  readMetrics(): Samples[] {
    return this.#metrics ? [this.#metrics.read()] : [];
  }

  /** The first part of {@link end}. Resolves when the socket is closed. */
  async stop(): Promise<void> {
    await this.#listener?.stop();
  }

  async end(patience: number): Promise<void> {
    this.stop();
    this.#gate.release();
    await this.#listener?.finish(patience);
    await this.#store?.close();
  }
}

function both(first: Observer | undefined, second: Observer | undefined): Observer | undefined {
  if (!first || !second) return first ?? second;
  return (exchange, answer, startedAt, endedAt) => {
    first(exchange, answer, startedAt, endedAt);
    second(exchange, answer, startedAt, endedAt);
  };
}

function createMetrics(deprecated: string, store: PetStore & Partial<CommittingStore>): Metrics {
  // A store in memory has no commits.
  const metrics = new Metrics(deprecated, () => store.waiting ?? 0);
  if ("onCommit" in store) store.onCommit = metrics.onCommit;
  return metrics;
}

/** The settings that become options of the library. */
export type OptionSettings = Pick<
  ServerSettings,
  "keys" | "corsOrigins" | "publicUrl" | "requestIds" | "rateLimit" | "clientHeader"
>;

/**
 * Converts the settings to options of the library, which checks them before anything is opened.
 *
 * @throws {SettingError} If a value is invalid.
 */
export function readOptions(
  { keys, corsOrigins, publicUrl, requestIds, rateLimit, clientHeader }: OptionSettings,
): PetstoreOptions {
  const options = {
    requestIds,
    ...(rateLimit && { rateLimit: { ...rateLimit, ...(clientHeader === "" ? {} : { clientHeader }) } }),
    ...(corsOrigins.length === 0 ? {} : { cors: { origins: corsOrigins } }),
    ...(publicUrl === "" ? {} : { publicBaseUrl: publicUrl }),
  };
  try {
    checkOptions({ keys: keys.length === 0 ? ["key-of-the-file"] : keys, ...options });
  } catch (error) {
    throw error instanceof TypeError ? new SettingError(error.message) : error;
  }
  return { keys, ...options };
}
