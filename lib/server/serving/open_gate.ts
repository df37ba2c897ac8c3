/** Puts the service of a server together, with its observers and the manager of its keys, and opens the gate to it. */

import type { KeyManager } from "../../access/key_manager.ts";
import { createKeyManager } from "../../access/create_key_manager.ts";
import type { Observer } from "../../http/finisher.ts";
import { createFailingService } from "../../petstore/failing_service.ts";
import type { PetstoreOptions } from "../../petstore/options.ts";
import { type KeyedPetStore, type PetStore, StoreUnavailableError } from "../../stores/store.ts";
import { firstLine } from "../process/start_error.ts";
import type { LineWriter, Report } from "../process/writers.ts";
import type { DrainGate } from "../service/drain_gate.ts";
import { createServerPipeline, type ServerParts } from "../service/server_pipeline.ts";
import type { ServerSettings } from "../settings/server_settings.ts";
import { createAccessLog } from "../telemetry/access_log.ts";
import type { FailureLog } from "../telemetry/failure_log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { createParameterNotices, createPreflightNotices } from "../telemetry/notices.ts";
import { createSeededStore } from "../transfer/seed.ts";

/** What tells of requests. */
export interface Telemetry {
  /** Gets the access log. */
  output: LineWriter;
  report: Report;
  failureLog: FailureLog;
  metrics: Metrics | undefined;
}

/** Begins to answer requests: makes the service of a store, and opens the gate to it. */
export function openGate(gate: DrainGate, store: KeyedPetStore, settings: ServerSettings, telemetry: Telemetry): void {
  const { report, failureLog, metrics } = telemetry;
  const options: Omit<PetstoreOptions, "store"> = {
    ...settings.options,
    keys: manageKeys(store, settings, report),
    onError(failure) {
      if (failure.error instanceof StoreUnavailableError) metrics?.onStoreError();
      failureLog.add(failure);
    },
  };
  const parts: ServerParts = {
    observe: createObserver(settings, telemetry),
    hasDocs: settings.docs,
    servers: settings.servers,
    reset: settings.allowReset ? reset : undefined,
  };
  openTo(store);

  /** Opens the gate to a new service on a store, with the faults of the settings from their beginning. */
  function openTo(servedStore: PetStore): void {
    const service = createServerPipeline({ ...options, store: servedStore }, parts);
    gate.open(settings.faults ? createFailingService(service, settings.faults) : service);
  }

  /**
   * Carries out `POST /reset`: later requests get a new service, on a new store with the sample pets. Those that came before it go on with
   * the old one. So a request of one test, such as one that a fault delays, adds no pet to the next test, and each test meets the same faults.
   */
  function reset(): void {
    openTo(createSeededStore(settings.seed));
  }
}

/** Creates the manager of a store's keys. The keys of the settings are valid too. */
function manageKeys(store: KeyedPetStore, { keys }: ServerSettings, report: Report): KeyManager {
  return createKeyManager(store.keys, {
    onOutage: (error) =>
      report(`the API keys cannot be read at the moment, so the last known ones stay valid: ${firstLine(error)}`),
    onRecovery: () => report("the API keys can be read again"),
    ...(keys.length > 0 && { keys }),
  });
}

/** Creates the observer of all responses. Without one, the service does not read the clock, for speed. */
function createObserver({ log }: ServerSettings, { output, report, metrics }: Telemetry): Observer | undefined {
  const observers: Observer[] = [];
  if (log !== "off") {
    observers.push(
      createPreflightNotices(report),
      createParameterNotices(report),
      createAccessLog(output, log === "json"),
    );
  }
  if (metrics) observers.push(metrics.observe);
  if (observers.length < 2) return observers[0];
  return (context, reply, startedAt, endedAt) => {
    for (const observe of observers) observe(context, reply, startedAt, endedAt);
  };
}
