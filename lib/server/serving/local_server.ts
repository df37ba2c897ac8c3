/** Serves in the present isolate: a listener, a gate behind it, and the service with its store behind that. */

import { pipelineOf, serve } from "../../hosts/fetch.ts";
import { withFaults } from "../../testing/faults.ts";
import type { PetstoreOptions } from "../../petstore/options.ts";
import type { Service } from "../../petstore/service.ts";
import { type KeyedPetStore, StoreUnavailableError } from "../../stores/store.ts";
import { DrainGate } from "../http/drain_gate.ts";
import type { Observer } from "../../http/finisher.ts";
import type { KeyManager } from "../../access/key_manager.ts";
import { createKeyManager } from "../../access/key_management.ts";
import { Metrics } from "../telemetry/metrics.ts";
import type { Samples } from "../telemetry/samples.ts";
import type { Address, Listen, Listener } from "../http/listener.ts";
import type { OpenedStores, Server } from "./runtime.ts";
import { createJsonLog, createTextLog } from "../telemetry/access_log.ts";
import { createFailureLog, type FailureLog } from "../telemetry/failure_log.ts";
import { oneLine } from "../process/lines.ts";
import { createServerPipeline, type ServerParts } from "../http/server_pipeline.ts";
import type { ServerSettings } from "../settings/server_settings.ts";
import { firstLine } from "../process/start_error.ts";
import { resolvesWithin } from "../../resolves_within.ts";
import { findTraces, traceRequests, type Traces } from "../telemetry/traces.ts";
import { traceStore } from "../telemetry/traced_store.ts";
import type { Writers } from "../process/writers.ts";

/** How often uses of API keys are written without requests, and the time limit for the last write, in milliseconds. */
const FLUSH_INTERVAL = 60_000, FLUSH_TIMEOUT = 1_000;

export class LocalServer implements Server {
  readonly #settings: ServerSettings;
  readonly #writers: Writers;
  readonly #listen: Listen;
  readonly #traces: Traces | undefined;
  readonly #gate = new DrainGate();
  #listener: Listener | undefined;
  #keys: KeyManager | undefined;
  #flushing: ReturnType<typeof setInterval> | undefined;
  #metrics: Metrics | undefined;
  #failures: FailureLog | undefined;

  constructor(settings: ServerSettings, writers: Writers, listen: Listen) {
    this.#settings = settings;
    this.#writers = writers;
    this.#listen = listen;
    this.#traces = settings.traces === undefined ? undefined : findTraces();
  }

  async start(open: () => Promise<OpenedStores>): Promise<number> {
    const port = await this.listen(this.#settings);
    this.serve({ ...await open(), isComplete: () => true, limits: undefined });
    return port;
  }

  /**
   * Listens. Every request is refused until {@link serve}.
   *
   * @returns The port.
   * @throws {SettingError} If it cannot listen at this address.
   */
  async listen(address: Address): Promise<number> {
    const traces = this.#traces, share = this.#settings.traces;
    const gate = traces && share !== undefined ? traceRequests(this.#gate, traces, share) : this.#gate;
    this.#listener = await this.#listen(address, gate, (line) => this.#report(line));
    return this.#listener.port;
  }

  /**
   * Answers requests.
   *
   * @param parts The parts that do not follow from the settings. The stores stay those of the caller, who closes them at the end.
   */
  serve({ store, keyStore, ...parts }: OpenedStores & Pick<ServerParts, "isComplete" | "limits">): void {
    const settings = this.#settings;
    const { output, errors } = this.#writers;
    const failures = this.#failures = createFailureLog(errors, settings.log === "json");
    const onError: PetstoreOptions["onError"] = (failure) => {
      if (failure.error instanceof StoreUnavailableError) this.#metrics?.onStoreError();
      failures.add(failure);
    };
    const traces = this.#traces;
    const options = {
      ...settings.options,
      ...(keyStore && { keys: this.#followKeys(keyStore, settings.keys) }),
      store: traces ? traceStore(store, settings.store, traces) : store,
      onError,
    };
    const observers: Observer[] = [];
    if (settings.log === "json") observers.push(createJsonLog(output, traces?.activeSpan));
    if (settings.log === "text") observers.push(createTextLog(output));
    if (settings.metrics) {
      this.#metrics = new Metrics(store);
      observers.push(this.#metrics.observe);
    }
    const observe = observeAll(observers);
    const { docs: hasDocs, servers } = settings;
    const service = createServerPipeline(options, { ...parts, observe, hasDocs, servers });
    this.#gate.open(settings.faults ? pipelineOf(withFaults(serve(service), settings.faults)) as Service : service);
  }

  #report(line: string): void {
    this.#writers.errors.add(`petstore: ${line}`);
  }

  /** @param keys The keys of the settings, which are valid too. */
  #followKeys(store: KeyedPetStore, keys: readonly string[]): KeyManager {
    const onOutage = (error: unknown) => {
      const line = error === undefined
        ? "the API keys can be read again"
        : `the API keys cannot be read at the moment, so the last known ones stay valid: ${firstLine(error)}`;
      this.#report(oneLine(line));
    };
    const manager = createKeyManager(store.keys, { onOutage, ...(keys.length > 0 && { keys }) });
    // Uses are written when requests arrive. This is for the last one before a pause.
    this.#flushing = setInterval(() => void manager.flush(), FLUSH_INTERVAL);
    return this.#keys = manager;
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

  async end(timeoutMs: number): Promise<void> {
    this.stop();
    this.#gate.release();
    await this.#listener?.finish(timeoutMs);
    clearInterval(this.#flushing);
    this.#failures?.close();
    if (this.#keys) await resolvesWithin(FLUSH_TIMEOUT, this.#keys.flush());
  }
}

/** Undefined without observers: the service then does not read the clock. */
function observeAll(observers: readonly Observer[]): Observer | undefined {
  if (observers.length < 2) return observers[0];
  return (context, reply, startedAt, endedAt) => {
    for (const observe of observers) observe(context, reply, startedAt, endedAt);
  };
}
