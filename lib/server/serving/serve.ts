/** The life of a server, from its settings to its end. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { followLinks } from "../../stores/sqlite/file.ts";
import { findUnfinished } from "../../stores/sqlite/remains.ts";
import { seed } from "../transfer/seed.ts";
import type { Report } from "../service/listener.ts";
import type { OpenedStores, Runtime, Server } from "./runtime.ts";
import { type FirstKey, makeFirstKey, provideFirstKey } from "../first_key/first_key.ts";
import { KEY_FILE, readKey } from "../first_key/key_file.ts";
import { createLocalServer } from "./local_server.ts";
import { oneLine } from "../process/lines.ts";
import { isPermitted } from "../process/process.ts";
import { describeStart } from "../telemetry/messages.ts";
import { readSizes, serveMetrics } from "../telemetry/metrics_server.ts";
import type { ServerSettings } from "../settings/server_settings.ts";
import { type KeyedPetStore, type PetStore, StoreUnavailableError } from "../../stores/store.ts";
import { SettingError, startError } from "../process/start_error.ts";
import { isBesideKeyFile } from "../store_setting/new_file.ts";
import { readStoreSetting } from "../store_setting/open_store.ts";
import type { StoreSetting } from "../store_setting/store_setting.ts";
import { writeJson, type Writers } from "../process/writers.ts";

/**
 * Serves until a signal ends it.
 *
 * @throws {SettingError} If the start fails.
 */
export async function serve(settings: ServerSettings, writers: Writers, runtime: Runtime): Promise<void> {
  const isJson = settings.log === "json";
  if (isJson) writeJson(writers);
  // Resolves at the first signal to end. Signals are listened to from here on, so that one during the start does not leave files behind.
  const ending = runtime.ending();
  const storeSetting = await readStoreSetting(settings.store, runtime.environment);
  if (isJson && !storeSetting.shared && settings.keys.length === 0) {
    throw new SettingError("A store in memory makes a key at each start, which a log as JSON does not show; set a key");
  }
  if (settings.allowReset && storeSetting.shared) {
    throw new SettingError("--allow-reset is for --store memory: alone, because a reset removes every pet");
  }
  const report: Report = (line) => writers.errors.add(`petstore: ${oneLine(line)}`);
  const server: Server = createLocalServer(settings, writers, runtime.listen);
  const started: Started = { isNewStore: false };
  /** Whether the greeting was written, which also says that a store is new. */
  let hasGreeted = false;
  const readMetrics = () => ({ ...server.readMetrics(), ...readSizes(started.store) });
  const metrics = settings.metrics && await serveMetrics(settings.metrics, runtime.listen, readMetrics, report);
  try {
    const port = await server.start(() => openStores(started, settings, storeSetting, report));
    const { hostname, docs: hasDocs } = settings;
    const { isNewStore, key } = started;
    const metricsAddress = metrics && { hostname: settings.metrics!.hostname, port: metrics.port };
    const store = storeSetting.description;
    const facts = { hostname, port, store, isNewStore, key: key!, hasDocs, metrics: metricsAddress };
    writers.output.add(describeStart(facts, isJson));
    hasGreeted = true;
    await ending;
    await server.shutDown(runtime.holdTimeMs);
  } catch (error) {
    // This start says that it has made the store, because the next one does not find it new.
    if (started.isNewStore && !hasGreeted) report(`${storeSetting.description} is new`);
    await server.abandon();
    throw error;
  } finally {
    await started.store?.close();
    await metrics?.stop();
  }
  // The line is for programs that read the log. A person at the terminal sees the end anyway.
  if (isJson) writers.output.add("stopped");
}

/**
 * What a start has done until now. `openStores()` fills it step by step, because a start that fails half-way must close the store, and say
 * that it has made it.
 */
interface Started {
  store?: KeyedPetStore;
  /** Whether this start has made the store. */
  isNewStore: boolean;
  key?: FirstKey;
}

async function openStores(
  started: Started,
  settings: ServerSettings,
  storeSetting: StoreSetting,
  report: Report,
): Promise<OpenedStores> {
  const { path, shared } = storeSetting;
  // Before this start makes a store, it reads the key file, which throws if the file cannot be used. A store that exists may have a valid
  // key of its own, so that it needs no file.
  const storeExists = path !== undefined && isPermitted({ name: "read", path }) && existsSync(path);
  const needsKeyFile = path !== undefined && !storeExists && settings.keys.length === 0;
  if (needsKeyFile) readKey(KEY_FILE);
  const store = await storeSetting.open();
  started.store = store;
  started.isNewStore = store.isNew ?? false;
  await requireReadable(store);
  if (settings.faults) report(`some requests fail on purpose: ${JSON.stringify(settings.faults)}`);
  if (settings.allowReset) report("POST /reset with a key that may write removes every pet, and adds those of --seed");
  if (settings.seed > 0) report(await seed(store, settings.seed));
  const key = shared ? await provideFirstKey(settings.keys, store.keys) : await makeFirstKey(settings.keys, store.keys);
  started.key = key;
  if (path !== undefined) describeRemains(path, started.isNewStore, key).forEach(report);
  // If there are keys in the settings, a store in memory has none, and no command can add one.
  const hasStoredKeys = shared !== undefined || settings.keys.length === 0;
  return { store, keyStore: hasStoredKeys ? store : undefined };
}

/**
 * Makes the reads that requests make: of a pet, a page, and a page of one status. A damaged file may open without a fault, and then fail at
 * each request.
 *
 * @throws {SettingError} If the store cannot be read.
 */
async function requireReadable(store: PetStore): Promise<void> {
  try {
    await store.check();
    await store.list({ after: 0n, limit: 1 });
    await store.list({ after: 0n, limit: 1, status: "available" });
  } catch (error) {
    throw error instanceof StoreUnavailableError ? startError(error.message, error) : error;
  }
}

/** Lines about files that a command has left, and about a key file that is older than the store beside it: an older store may be lost. */
function describeRemains(path: string, isNewStore: boolean, key: FirstKey): string[] {
  const lines = findUnfinished(followLinks(path)).map((name) =>
    `${join(dirname(path), name)} is of a command that was cut short, and can be removed`
  );
  const hasOlderKey = key.location === "file" && !key.isNew;
  if (isNewStore && hasOlderKey && isBesideKeyFile(path)) {
    lines.push(`${path} is new, but ${KEY_FILE} is older: if pets are missing, stop the server, and restore a backup`);
  }
  return lines;
}
