/** The life of a server, from its settings to its end. */

import { formatAddress } from "../process/lines.ts";
import { SettingError } from "../process/start_error.ts";
import { writeJson, type Writers } from "../process/writers.ts";
import { DrainGate } from "../service/drain_gate.ts";
import type { Listener } from "../service/listener.ts";
import type { ServerSettings } from "../settings/server_settings.ts";
import { readStoreSetting } from "../store_setting/open_store.ts";
import type { OpenStore, StoreSetting } from "../store_setting/store_setting.ts";
import { createFailureLog } from "../telemetry/failure_log.ts";
import { greetAsJson, greetAsText } from "../telemetry/greeting.ts";
import { type MetricsServer, serveMetrics } from "../telemetry/metrics_server.ts";
import { openGate } from "./open_gate.ts";
import { prepareStore } from "./prepare_store.ts";
import type { Runtime } from "./runtime.ts";
import { shutDown } from "./shutdown.ts";

/**
 * Serves until a signal ends it.
 *
 * @throws {SettingError} If the start fails.
 */
export async function serve(settings: ServerSettings, writers: Writers, runtime: Runtime): Promise<void> {
  const isJson = settings.log === "json";
  if (isJson) writeJson(writers);
  // Resolves at the first signal to end. Signals are listened to from here on, so that one during the start does not leave files behind.
  const ending = runtime.waitForSignal();
  const storeSetting = await readStoreSetting(settings.store, runtime.environment);
  requireFittingStore(storeSetting, settings);
  const metricsServer = settings.metrics && await serveMetrics(settings.metrics, runtime.listen, writers.report);
  try {
    await serveStore({ settings, storeSetting, writers, runtime, ending, metricsServer });
  } finally {
    await metricsServer?.stop();
  }
  // The line is for programs that read the log. A person at the terminal sees the end anyway.
  if (isJson) writers.output.add("stopped");
}

/** @throws {SettingError} If a setting does not go with the kind of the store. */
function requireFittingStore({ shared }: StoreSetting, { log, keys, allowReset }: ServerSettings): void {
  if (log === "json" && !shared && keys.length === 0) {
    throw new SettingError("A store in memory makes a key at each start, which a log as JSON does not show; set a key");
  }
  if (allowReset && shared) {
    throw new SettingError("--allow-reset works with --store memory: only, because a reset removes every pet");
  }
}

/** What a server is started with. */
export interface Start {
  settings: ServerSettings;
  storeSetting: StoreSetting;
  writers: Writers;
  runtime: Pick<Runtime, "listen" | "holdTimeMs">;
  /** Resolves when the server is to end. */
  ending: Promise<void>;
  /** It is undefined if the settings ask for no metrics. */
  metricsServer: Pick<MetricsServer, "metrics" | "url"> | undefined;
}

/**
 * Listens, opens the store, answers requests until `ending`, and closes what it has opened, also if the start fails. A start that does not
 * get the port must make no file, and no key that is never shown, so the store is opened when the server has its port. Until the store is
 * ready, the gate refuses every request.
 */
export async function serveStore(start: Start): Promise<void> {
  const { settings, storeSetting, writers, runtime, ending, metricsServer } = start;
  const metrics = metricsServer?.metrics;
  const isJson = settings.log === "json";
  const { report } = writers;
  const failureLog = createFailureLog(writers.errors, isJson);
  const gate = new DrainGate();
  const address = { ...settings, flag: "--port", isShared: settings.reusePort } as const;
  const listener: Listener = await runtime.listen(address, gate, report);
  let store: OpenStore | undefined;
  try {
    store = await storeSetting.open();
    const key = await prepareStore(store, storeSetting, settings, report);
    metrics?.watch(store);
    openGate(gate, store, settings, { output: writers.output, report, failureLog, metrics });
    const greet = isJson ? greetAsJson : greetAsText;
    const greeting = greet({
      origin: `http://${formatAddress({ hostname: settings.hostname, port: listener.port })}`,
      metricsUrl: metricsServer?.url,
      store: storeSetting.description,
      isNewStore: store.isNew ?? false,
      key,
      hasDocs: settings.docs,
    });
    writers.output.add(greeting);
    await ending;
  } catch (error) {
    // The next start will not find the store new, so this one says that it has made the store.
    if (store?.isNew) report(`${storeSetting.description} is new`);
    throw error;
  } finally {
    await shutDown({ gate, listener, report }, runtime.holdTimeMs);
    failureLog.close();
    await store?.close();
  }
}
