/** The life of a server, from its settings to its end. */

import { formatAddress } from "../process/lines.ts";
import { SettingError } from "../process/start_error.ts";
import { reportTo, writeJson, type Writers } from "../process/writers.ts";
import type { ServerSettings } from "../settings/server_settings.ts";
import { readStoreSetting } from "../store_setting/open_store.ts";
import type { StoreSetting } from "../store_setting/store_setting.ts";
import { greetAsJson, greetAsText, type StartFacts } from "../telemetry/greeting.ts";
import { serveMetrics } from "../telemetry/metrics_server.ts";
import type { Runtime } from "./runtime.ts";
import { type Server, startServer } from "./start.ts";

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
  const report = reportTo(writers.errors);
  /** Undefined until the server answers requests. Metrics that are read before are those of the process alone. */
  let server: Server | undefined;
  const readMetrics = () => server?.readMetrics() ?? {};
  const metricsListener = settings.metrics && await serveMetrics(settings.metrics, runtime.listen, readMetrics, report);
  try {
    server = await startServer(settings, storeSetting, writers, runtime.listen);
    const { hostname, metrics, docs } = settings;
    const facts: StartFacts = {
      origin: `http://${formatAddress({ hostname, port: server.port })}`,
      metricsUrl: metricsListener && `http://${formatAddress({ ...metrics!, port: metricsListener.port })}/metrics`,
      store: storeSetting.description,
      isNewStore: server.isNewStore,
      key: server.key,
      hasDocs: docs,
    };
    writers.output.add(isJson ? greetAsJson(facts) : greetAsText(facts));
    await ending;
    await server.shutDown(runtime.holdTimeMs);
  } finally {
    await metricsListener?.stop();
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
