/**
 * Puts a server together: a listener, which hands requests to a gate, and behind the gate the service with its store, its logs and its
 * metrics.
 */

import { createHandles } from "../../hosts/fetch.ts";
import { withFaults } from "../../petstore/faults.ts";
import type { PetstoreOptions } from "../../petstore/options.ts";
import { type Service, serviceOf } from "../../petstore/service.ts";
import type { ClearableStore } from "../../stores/memory/memory_store.ts";
import { type KeyedPetStore, StoreUnavailableError } from "../../stores/store.ts";
import { DrainGate } from "../service/drain_gate.ts";
import type { Observer } from "../../http/finisher.ts";
import type { KeyManager } from "../../access/key_manager.ts";
import { createKeyManager } from "../../access/key_management.ts";
import { Metrics } from "../telemetry/metrics.ts";
import type { Samples } from "../telemetry/samples.ts";
import type { Address, Listen, Listener } from "../service/listener.ts";
import type { OpenedStores, Server } from "./runtime.ts";
import { closeSocket, HOLD_TIME_MS, shutDown } from "./shutdown.ts";
import { createJsonLog, createTextLog } from "../telemetry/access_log.ts";
import { createParameterNotices, createPreflightNotices } from "../telemetry/notices.ts";
import { createFailureLog, type FailureLog } from "../telemetry/failure_log.ts";
import { oneLine } from "../process/lines.ts";
import { createServerPipeline } from "../service/server_pipeline.ts";
import type { ServerSettings } from "../settings/server_settings.ts";
import { firstLine } from "../process/start_error.ts";
import type { Writers } from "../process/writers.ts";
import { reseed } from "../transfer/seed.ts";

export type LocalServer = ReturnType<typeof createLocalServer>;

export function createLocalServer(settings: ServerSettings, writers: Writers, listen: Listen) {
  const { output, errors } = writers;
  const gate = new DrainGate();
  /** Undefined before `listen()`. */
  let listener: Listener | undefined;
  /** Undefined before `serve()`, and if the settings ask for no metrics. */
  let metrics: Metrics | undefined;
  /** Undefined before `serve()`. */
  let failureLog: FailureLog | undefined;

  const report = (line: string) => errors.add(`petstore: ${line}`);

  /** Creates the manager of a store's keys. The keys of the settings are valid too. */
  function manageKeys(store: KeyedPetStore): KeyManager {
    // Called with the error when an outage begins, and with `undefined` when it ends.
    const onOutage = (error: unknown) => {
      const line = error === undefined
        ? "the API keys can be read again"
        : `the API keys cannot be read at the moment, so the last known ones stay valid: ${firstLine(error)}`;
      report(oneLine(line));
    };
    return createKeyManager(store.keys, {
      onOutage,
      ...(settings.keys.length > 0 && { keys: settings.keys }),
    });
  }

  /** Adds the faults of the settings to a service, from their beginning. */
  function withSettingFaults(service: Service): Service {
    if (!settings.faults) return service;
    const failing = serviceOf(withFaults(createHandles(service), settings.faults));
    if (!failing) throw new TypeError("A petstore with faults has no service");
    return failing;
  }

  const server = {
    async start(open: () => Promise<OpenedStores>): Promise<number> {
      const port = await server.listen({ ...settings, flag: "--port", isShared: settings.reusePort });
      server.serve(await open());
      return port;
    },

    /**
     * Opens the socket. Every request is refused until `serve()`.
     *
     * @returns The port at which it listens.
     * @throws {SettingError} If it cannot listen at this address.
     */
    async listen(address: Address): Promise<number> {
      listener = await listen(address, gate, report);
      return listener.port;
    },

    /** Begins to answer requests. The caller opens the stores, and closes them after `end()`. */
    serve({ store, keyStore }: OpenedStores): void {
      const failures = createFailureLog(errors, settings.log === "json");
      failureLog = failures;
      const onError: PetstoreOptions["onError"] = (failure) => {
        if (failure.error instanceof StoreUnavailableError) metrics?.onStoreError();
        failures.add(failure);
      };
      const options = {
        ...settings.options,
        ...(keyStore && { keys: manageKeys(keyStore) }),
        store,
        onError,
      };
      const observers: Observer[] = [];
      if (settings.log !== "off") observers.push(createPreflightNotices(report), createParameterNotices(report));
      if (settings.log === "json") observers.push(createJsonLog(output));
      if (settings.log === "text") observers.push(createTextLog(output));
      if (settings.metrics) {
        metrics = new Metrics(store);
        observers.push(metrics.observe);
      }
      const observe = observeAll(observers);
      const { docs: hasDocs, servers } = settings;
      const reset = () => {
        // The type of the store is certain, because `serve()` in serve.ts refuses this setting for any other store than one in memory.
        reseed(store as ClearableStore, settings.seed);
        // The faults begin again too, so that each test meets the same ones.
        gate.replace(withSettingFaults(service));
      };
      const parts = { observe, hasDocs, servers, reset: settings.allowReset ? reset : undefined };
      const service = createServerPipeline(options, parts);
      gate.open(withSettingFaults(service));
    },

    readMetrics: (): Samples => metrics?.read() ?? {},

    async shutDown(holdTimeMs = HOLD_TIME_MS): Promise<void> {
      if (listener) await shutDown({ gate, listener }, holdTimeMs);
      failureLog?.close();
    },

    async abandon(): Promise<void> {
      if (listener) await closeSocket({ gate, listener });
      failureLog?.close();
    },
  };
  return server satisfies Server;
}

/** Makes one observer of several. If there are none, the result is undefined, for speed: the service then does not read the clock. */
function observeAll(observers: readonly Observer[]): Observer | undefined {
  if (observers.length < 2) return observers[0];
  return (context, reply, startedAt, endedAt) => {
    for (const observe of observers) observe(context, reply, startedAt, endedAt);
  };
}
