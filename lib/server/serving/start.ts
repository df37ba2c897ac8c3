/** Starts a server. Its end is in shutdown.ts. */

import type { FirstKey } from "../first_key/first_key.ts";
import { type Report, reportTo, type Writers } from "../process/writers.ts";
import { DrainGate } from "../service/drain_gate.ts";
import type { Listen } from "../service/listener.ts";
import type { ServerSettings } from "../settings/server_settings.ts";
import type { OpenStore, StoreSetting } from "../store_setting/store_setting.ts";
import { readSizes } from "../telemetry/metrics_server.ts";
import type { Samples } from "../telemetry/samples.ts";
import { openGate, type Telemetry } from "./open_gate.ts";
import { openStore, prepareStore } from "./prepare_store.ts";
import { closeSocket, drainAndClose, HOLD_TIME_MS } from "./shutdown.ts";

/** A server that answers requests. */
export interface Server {
  /** The port at which it listens. */
  port: number;
  /** Whether this start has made the store. */
  isNewStore: boolean;
  key: FirstKey;
  /** The counts until now, if the settings ask for metrics, and the sizes of the store's files. */
  readMetrics(): Samples;
  /**
   * Ends the server without the loss of a request, and closes the store.
   *
   * @param holdTimeMs How long requests are held before the socket closes. Default: {@link HOLD_TIME_MS}.
   */
  shutDown(holdTimeMs?: number): Promise<void>;
}

/**
 * Listens, opens the store and begins to answer requests. A start that does not get the port must make no file, and no key that is never
 * shown, so the store is opened when the server has its port. Until then, the gate refuses every request.
 *
 * @throws {SettingError} If the start fails. It has closed then what it has opened.
 */
export async function startServer(
  settings: ServerSettings,
  storeSetting: StoreSetting,
  writers: Writers,
  listen: Listen,
): Promise<Server> {
  const report = reportTo(writers.errors);
  const gate = new DrainGate();
  const address = { ...settings, flag: "--port", isShared: settings.reusePort } as const;
  const listener = await listen(address, gate, report);
  try {
    const { store, key, failureLog, metrics } = await startService(gate, settings, storeSetting, writers, report);
    return {
      port: listener.port,
      isNewStore: store.isNew ?? false,
      key,
      readMetrics: () => ({ ...metrics?.read(), ...readSizes(store) }),
      async shutDown(holdTimeMs = HOLD_TIME_MS) {
        await drainAndClose({ gate, listener }, holdTimeMs);
        failureLog.close();
        await store.close();
      },
    };
  } catch (error) {
    await closeSocket({ gate, listener });
    throw error;
  }
}

interface StartedService extends Telemetry {
  store: OpenStore;
  key: FirstKey;
}

/** Opens the store, prepares it, and opens the gate to the service. If that fails, this closes the store. */
async function startService(
  gate: DrainGate,
  settings: ServerSettings,
  storeSetting: StoreSetting,
  writers: Writers,
  report: Report,
): Promise<StartedService> {
  const store = await openStore(storeSetting, settings);
  try {
    const key = await prepareStore(store, storeSetting, settings, report);
    // If there are keys in the settings, a store in memory has none, and no command can add one.
    const hasStoredKeys = storeSetting.shared !== undefined || settings.keys.length === 0;
    return { store, key, ...openGate(gate, { store, hasStoredKeys }, settings, writers, report) };
  } catch (error) {
    // The next start will not find the store new, so this one says that it has made the store.
    if (store.isNew) report(`${storeSetting.description} is new`);
    await store.close();
    throw error;
  }
}
