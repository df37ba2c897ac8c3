/** Puts the service of a server together, with its logs, its metrics and the manager of its keys, and opens the gate to it. */

import type { KeyManager } from "../../access/key_manager.ts";
import { createKeyManager } from "../../access/create_key_manager.ts";
import { createHandles } from "../../hosts/fetch.ts";
import type { Observer } from "../../http/finisher.ts";
import { withFaults } from "../../petstore/faults.ts";
import type { PetstoreOptions } from "../../petstore/options.ts";
import { type Service, serviceOf } from "../../petstore/service.ts";
import { type KeyedPetStore, type PetStore, StoreUnavailableError } from "../../stores/store.ts";
import { firstLine } from "../process/start_error.ts";
import { type Report, reportTo, type Writers } from "../process/writers.ts";
import type { DrainGate } from "../service/drain_gate.ts";
import { createServerPipeline, type ServerParts } from "../service/server_pipeline.ts";
import type { ServerSettings } from "../settings/server_settings.ts";
import { createAccessLog } from "../telemetry/access_log.ts";
import { createFailureLog, type FailureLog } from "../telemetry/failure_log.ts";
import { Metrics } from "../telemetry/metrics.ts";
import { createParameterNotices, createPreflightNotices } from "../telemetry/notices.ts";
import { createSeededStore } from "../transfer/seed.ts";

/**
 * Begins to answer requests.
 *
 * @returns What the service counts and logs. The metrics are undefined if the settings ask for none.
 */
export function openGate(
  gate: DrainGate,
  store: KeyedPetStore,
  settings: ServerSettings,
  writers: Writers,
): { failureLog: FailureLog; metrics: Metrics | undefined } {
  const report = reportTo(writers.errors);
  const failureLog = createFailureLog(writers.errors, settings.log === "json");
  const metrics = settings.metrics ? new Metrics(store) : undefined;
  const options: Omit<PetstoreOptions, "store"> = {
    ...settings.options,
    keys: manageKeys(store, settings, report),
    onError(failure) {
      if (failure.error instanceof StoreUnavailableError) metrics?.onStoreError();
      failureLog.add(failure);
    },
  };
  const parts: ServerParts = {
    observe: createObserver(settings, writers, report, metrics),
    hasDocs: settings.docs,
    servers: settings.servers,
    reset: settings.allowReset ? reset : undefined,
  };
  /** Opens the gate to a service on a store, with the faults from their beginning. */
  const serve = (servedStore: PetStore) =>
    gate.open(withSettingFaults(createServerPipeline({ ...options, store: servedStore }, parts), settings));
  serve(store);
  return { failureLog, metrics };

  /**
   * Carries out `POST /reset`: later requests get a new service, on a new store with the sample pets. Those that came before it go on with
   * the old one. So a request of one test, such as one that a fault delays, adds no pet to the next test, and each test meets the same faults.
   */
  function reset(): void {
    serve(createSeededStore(settings.seed));
  }
}

/** Creates the manager of a store's keys. The keys of the settings are valid too. */
function manageKeys(store: KeyedPetStore, { keys }: ServerSettings, report: Report): KeyManager {
  // Called with the error when an outage begins, and with `undefined` when it ends.
  const onOutage = (error: unknown) => {
    const line = error === undefined
      ? "the API keys can be read again"
      : `the API keys cannot be read at the moment, so the last known ones stay valid: ${firstLine(error)}`;
    report(line);
  };
  return createKeyManager(store.keys, { onOutage, ...(keys.length > 0 && { keys }) });
}

/** Adds the faults of the settings to a service. */
function withSettingFaults(service: Service, { faults }: ServerSettings): Service {
  if (!faults) return service;
  const failing = withFaults(createHandles(service), faults);
  // `withFaults()` makes its petstore of a service, so there is one.
  return serviceOf(failing)!;
}

function createObserver(
  { log }: ServerSettings,
  { output }: Writers,
  report: Report,
  metrics: Metrics | undefined,
): Observer | undefined {
  const observers: Observer[] = [];
  if (log !== "off") {
    observers.push(
      createPreflightNotices(report),
      createParameterNotices(report),
      createAccessLog(output, log === "json"),
    );
  }
  if (metrics) observers.push(metrics.observe);
  // Without an observer, the service does not read the clock, for speed.
  if (observers.length < 2) return observers[0];
  return (context, reply, startedAt, endedAt) => {
    for (const observe of observers) observe(context, reply, startedAt, endedAt);
  };
}
