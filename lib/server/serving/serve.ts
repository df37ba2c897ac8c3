/** Starts the server, and shuts it down gracefully. */

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
import { resolvesWithin } from "../../promises.ts";
import { writeJson, type Writers } from "../process/writers.ts";

/**
 * The time limits, after the first signal, for requests in flight and for clients that read the responses, in
 * milliseconds. With the time to close the store, this is less than 10 seconds, when container runtimes kill a process.
 */
const DRAIN_TIMEOUT = 6_000, END_TIMEOUT = 7_500;

/**
 * How long later requests are held before the socket closes, in milliseconds. This is longer than a client needs to read an
 * response and send its next request, so each active client is then waiting for a response.
 */
const HOLD_TIME = 250;
const HOLD_STEPS = 10;

/**
 * Serves until a signal ends it.
 *
 * @throws {SettingError} If the start fails.
 */
export async function serve(settings: ServerSettings, writers: Writers, runtime: Runtime): Promise<void> {
  const isJson = settings.log === "json";
  if (isJson) writeJson(writers);
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
  const started: Started = { isNew: false };
  const readMetrics = () => ({ ...server.readMetrics(), ...readSizes(started.store) });
  const metrics = settings.metrics && await serveMetrics(settings.metrics, runtime.listen, readMetrics, report);
  let timeLeft = END_TIMEOUT;
  try {
    const port = await server.start(() => open(started, settings, storeSetting, report));
    const { hostname, docs: hasDocs } = settings;
    const { isNew: isNewStore, key } = started;
    const metricsAt = metrics && { hostname: settings.metrics!.hostname, port: metrics.port };
    const store = storeSetting.description;
    const facts = { hostname, port, store, isNewStore, key: key!, hasDocs, metrics: metricsAt };
    writers.output.add(describeStart(facts, isJson));
    started.isNew = false;
    await ending;
    timeLeft = await drain(server, runtime.holdTime);
  } catch (error) {
    // The next start does not find the store new, so this one says that it has made it.
    if (started.isNew) report(`${storeSetting.description} is new`);
    throw error;
  } finally {
    await server.end(timeLeft);
    await started.store?.close();
    await metrics?.stop();
  }
  // The line is for programs that read the log. A person at the terminal sees the end anyway.
  if (isJson) writers.output.add("stopped");
}

/**
 * What a start has opened until now. It is filled step by step, because a start that fails half-way must close the store, and say that it has
 * made it.
 */
interface Started {
  store?: KeyedPetStore;
  /** Whether it has made the store, and not said so. */
  isNew: boolean;
  key?: FirstKey;
}

async function open(
  started: Started,
  settings: ServerSettings,
  storeSetting: StoreSetting,
  report: Report,
): Promise<OpenedStores> {
  const { path, shared } = storeSetting;
  // A key file that cannot be used ends the start before it makes a store. A store that exists may have a valid key.
  const isThere = path !== undefined && isPermitted({ name: "read", path }) && existsSync(path);
  if (path !== undefined && !isThere && settings.keys.length === 0) readKey(KEY_FILE);
  const store = await storeSetting.open();
  started.store = store;
  started.isNew = store.isNew ?? false;
  await requireReadable(store);
  if (settings.faults) report(`some requests fail on purpose: ${JSON.stringify(settings.faults)}`);
  if (settings.allowReset) report("POST /reset with a key that may write removes every pet, and adds those of --seed");
  if (settings.seed > 0) report(await seed(store, settings.seed));
  // Keys as set are enough for a store in memory, which no command can reach.
  const keyStore = shared || settings.keys.length === 0 ? store : undefined;
  const key = started.key = shared
    ? await provideFirstKey(settings.keys, store.keys)
    : await makeFirstKey(settings.keys, store.keys);
  if (path !== undefined) describeRemains(path, started.isNew, key).forEach(report);
  return { store, keyStore };
}

/**
 * Reads what requests read: a pet, a page, and a page of one status. A damaged file may open without a fault, and then fail at each
 * request.
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

/** Lines about files that a command has left, and about a key that is older than its store, which then may be lost. */
function describeRemains(path: string, isNew: boolean, key: FirstKey): string[] {
  const unfinished = findUnfinished(followLinks(path)).map((name) =>
    `${join(dirname(path), name)} is of a command that was cut short, and can be removed`
  );
  if (!isNew || key.location !== "file" || key.isNew || !isBesideKeyFile(path)) return unfinished;
  const line = `${path} is new, but ${KEY_FILE} is older: if pets are missing, stop the server, and restore a backup`;
  return [...unfinished, line];
}

/**
 * Waits until requests in flight are answered, then holds later ones.
 *
 * @returns The time that is left until the end, in milliseconds.
 */
export async function drain(server: Pick<Server, "close" | "hold">, holdTime = HOLD_TIME): Promise<number> {
  const endAt = performance.now() + END_TIMEOUT;
  // The gate closes before the listener stops, because afterwards Deno delivers no more of an incomplete body
  // (denoland/deno#36809).
  await resolvesWithin(DRAIN_TIMEOUT, server.close());
  await server.hold();
  // The wait has steps, so that a process that was suspended reads from its socket again before it goes on.
  for (let i = 0; i < HOLD_STEPS; i++) await new Promise((resolve) => setTimeout(resolve, holdTime / HOLD_STEPS));
  return endAt - performance.now();
}
