/** The life of a server, from its settings to its end. */

import { createKeyManager } from "../../access/create_key_manager.ts";
import type { Observer } from "../../http/finisher.ts";
import { createFailingService } from "../../petstore/failing_service.ts";
import type { PetstoreOptions } from "../../petstore/options.ts";
import type { KeyStore } from "../../stores/key_store.ts";
import { type PetStore, StoreUnavailableError } from "../../stores/store.ts";
import { provideFirstKey } from "../first_key/first_key.ts";
import { formatAddress } from "../process/messages.ts";
import type { Context, Listener } from "../process/runtime.ts";
import { firstLine, SettingError } from "../process/start_error.ts";
import { type Report, writeJson } from "../process/writers.ts";
import { libraryOptions, type Settings } from "../settings/server_settings.ts";
import { findStore, isShared, type OpenStore } from "../settings/store_setting.ts";
import { createAccessLog } from "../telemetry/access_log.ts";
import { createFailureLog } from "../telemetry/failure_log.ts";
import { greetAsJson, greetAsText } from "../telemetry/greeting.ts";
import { type Metrics, serveMetrics } from "../telemetry/metrics.ts";
import { createNotices } from "../telemetry/notices.ts";
import { DrainGate } from "./drain_gate.ts";
import { createSeededStore, seed } from "./seed.ts";
import { createServerPipeline } from "./server_pipeline.ts";
import { shutDown } from "./shutdown.ts";

/**
 * Listens, opens the store, answers requests until a signal ends it, and closes what it has opened,
 * also if the start fails. A start that does not get the port must make no file, and no key that is
 * never shown, so the store is opened when the server has its port. Until the store is ready, the
 * gate refuses every request.
 *
 * @param find Finds the store of the settings. Tests give one of their own.
 * @throws {SettingError} If the start fails.
 * @throws {StoreUnavailableError} If the store cannot be read.
 */
export async function serve(settings: Settings, context: Context, find: typeof findStore = findStore): Promise<void> {
  const { output, errorOutput, report, environment, listen } = context;
  const { hostname, port } = settings;
  const isJson = settings.log === "json";
  if (isJson) writeJson(context);
  // Resolves at the first signal to end. Signals are listened to from here on, so that one during
  // the start does not leave files behind.
  const ending = context.waitForSignal();
  const storeSetting = await find(settings.store, environment);
  const isLasting = isShared(storeSetting);
  requireConsistent(settings, isLasting);
  const metricsServer = settings.metrics && await serveMetrics(settings.metrics, listen, report);
  const metrics = metricsServer?.metrics;
  const failureLog = createFailureLog(errorOutput, isJson);
  const gate = new DrainGate();
  let listener: Listener | undefined;
  let store: OpenStore | undefined;
  try {
    listener = await listen({ hostname, port, flag: "--port", isShared: settings["reuse-port"] }, gate, report);
    store = await storeSetting.open();
    await readOnce(store);
    noteUnusual(settings, report);
    if (settings.seed > 0) report(await seed(store, settings.seed));
    const key = await provideFirstKey(settings.key, store.keys, isLasting);
    metrics?.watch(store);
    const options = createOptions(settings, store.keys, report, (failure) => {
      if (failure.error instanceof StoreUnavailableError) metrics?.onStoreError();
      failureLog.add(failure);
    });
    openGate(gate, store, settings, options, createObserver(settings, context, metrics));
    const greet = isJson ? greetAsJson : greetAsText;
    output.add(greet({
      origin: `http://${formatAddress({ hostname, port: listener.port })}`,
      metricsUrl: metricsServer?.url,
      store: storeSetting.description,
      isNewStore: store.isNew ?? false,
      key,
      hasDocs: settings.docs,
    }));
    await ending;
  } catch (error) {
    // The next start will not find the store new, so this one says that it has made the store.
    if (store?.isNew) report(`${storeSetting.description} is new`);
    throw error;
  } finally {
    if (listener) await shutDown({ gate, listener, report }, context.holdTimeMs);
    failureLog.close();
    await store?.close();
    metricsServer?.stop();
  }
  // The line is for programs that read the log. A person at the terminal sees the end anyway.
  if (isJson) output.add("stopped");
}

/** @throws {SettingError} If settings cannot stand together. */
function requireConsistent(settings: Settings, isLasting: boolean): void {
  const { "cors-origin": origins } = settings;
  if (origins.length > 1 && origins.includes("*")) throw new SettingError("--cors-origin: * must be the only origin");
  if (!isLasting && settings.log === "json" && settings.key.length === 0) {
    throw new SettingError("A store in memory makes a key at each start, which a log as JSON does not show; set a key");
  }
  if (isLasting && settings["allow-reset"]) {
    throw new SettingError("--allow-reset works with --store memory: only, because a reset removes every pet");
  }
}

/**
 * Makes the reads that requests make: of a pet, a page, a page of one status, and the keys. A
 * damaged file may open without a fault, and then fail at each request.
 */
async function readOnce(store: OpenStore): Promise<void> {
  await store.check();
  await store.list({ after: 0n, limit: 1 });
  await store.list({ after: 0n, limit: 1, status: "available" });
  await store.keys.list();
}

/** Notes in the log what no server in production does. */
function noteUnusual(settings: Settings, report: Report): void {
  if (settings.faults) report(`some requests fail on purpose: ${JSON.stringify(settings.faults)}`);
  if (settings["allow-reset"]) {
    report("POST /reset with a key that may write removes every pet, and adds those of --seed");
  }
}

type ServiceOptions = Omit<PetstoreOptions, "store">;

/** The options of the settings, with the keys of the settings and of the store. */
function createOptions(
  settings: Settings,
  keys: KeyStore,
  report: Report,
  onError: NonNullable<ServiceOptions["onError"]>,
): ServiceOptions {
  return {
    ...libraryOptions(settings),
    keys: createKeyManager(keys, {
      onOutage: (error) =>
        report(`the API keys cannot be read at the moment, so the last known ones stay valid: ${firstLine(error)}`),
      onRecovery: () => report("the API keys can be read again"),
      ...(settings.key.length > 0 && { keys: settings.key }),
    }),
    onError,
  };
}

/**
 * Begins to answer requests: opens the gate to a new service on a store, with the faults of the
 * settings from their beginning.
 *
 * `POST /reset` does so again, on a new store with the sample pets. Requests that came before it go
 * on with the old service. So a request of one test, such as one that a fault delays, adds no pet
 * to the next test, and each test meets the same faults.
 */
function openGate(
  gate: DrainGate,
  store: PetStore,
  settings: Settings,
  options: ServiceOptions,
  observe: Observer | undefined,
): void {
  const { docs: hasDocs, "openapi-server": servers, faults } = settings;
  const reset = () => openGate(gate, createSeededStore(settings.seed), settings, options, observe);
  const parts = { observe, hasDocs, servers, reset: settings["allow-reset"] ? reset : undefined };
  const service = createServerPipeline({ ...options, store }, parts);
  gate.open(faults ? createFailingService(service, faults) : service);
}

/** Creates the observer of all responses. Without one, the service does not read the clock, for speed. */
function createObserver(
  { log }: Settings,
  { output, report }: Context,
  metrics: Metrics | undefined,
): Observer | undefined {
  const observers: Observer[] = metrics ? [metrics.observe] : [];
  if (log !== "off") {
    observers.push(createNotices(report), createAccessLog(output, log === "json"));
  }
  if (observers.length < 2) return observers[0];
  return (context, reply, startedAt, endedAt) => {
    for (const observe of observers) observe(context, reply, startedAt, endedAt);
  };
}
