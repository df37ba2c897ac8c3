/** Starts a server. Its end is in shutdown.ts. */

import type { FirstKey } from "../first_key/first_key.ts";
import { reportTo, type Writers } from "../process/writers.ts";
import { DrainGate } from "../service/drain_gate.ts";
import type { Listen } from "../service/listener.ts";
import type { ServerSettings } from "../settings/server_settings.ts";
import type { OpenStore, StoreSetting } from "../store_setting/store_setting.ts";
import { readSizes } from "../telemetry/metrics_server.ts";
import type { Samples } from "../telemetry/samples.ts";
import { openGate } from "./open_gate.ts";
import { prepareStore } from "./prepare_store.ts";
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
  const listener = await listen({ ...settings, flag: "--port", isShared: settings.reusePort }, gate, report);
  let store: OpenStore | undefined;
  try {
    store = await storeSetting.open();
    const key = await prepareStore(store, storeSetting, settings, report);
    const { failureLog, metrics } = openGate(gate, store, settings, writers);
    return {
      port: listener.port,
      isNewStore: store.isNew ?? false,
      key,
      readMetrics: () => ({ ...metrics?.read(), ...readSizes(store) }),
      async shutDown(holdTimeMs = HOLD_TIME_MS) {
        await drainAndClose({ gate, listener }, holdTimeMs);
        failureLog.close();
        await store?.close();
      },
    };
  } catch (error) {
    // The next start will not find the store new, so this one says that it has made the store.
    if (store?.isNew) report(`${storeSetting.description} is new`);
    await store?.close();
    await closeSocket({ gate, listener });
    throw error;
  }
}
