/** Starts the server, and ends it in an orderly way. */

import type { EndingServer, Host, StartingServer } from "./host.ts";
import { KEY_FILE, readKeyFile } from "./key_file.ts";
import { LocalServer, readOptions } from "./local_server.ts";
import { describeStart, describeStartAsJson, type StartFacts } from "./log/messages.ts";
import { dropPermissions, readVariable, signalled } from "./process.ts";
import { serveMetrics } from "./metrics/metrics_server.ts";
import type { ServerSettings } from "./settings.ts";
import { SqliteStore } from "../stores/sqlite/store.ts";
import type { PetStore } from "../stores/store.ts";
import { SettingError } from "./start_error.ts";
import { readStoreSetting } from "./store/open_store.ts";
import { within } from "./time.ts";
import { writeJson, type Writers } from "./writers.ts";

/**
 * After the first signal, how long requests in flight may take, and how long until clients must have read the answers, in
 * milliseconds. With the time to close the store, this is less than 10 seconds, when container runtimes kill a process.
 */
const DRAIN_TIMEOUT = 6_000, END_TIMEOUT = 7_500;

/**
 * How long later requests are held before the socket closes, in milliseconds. This is longer than a client needs to read an
 * answer and send its next request, so each active client is then waiting for an answer.
 */
const HOLD_TIME = 250;
const HOLD_STEPS = 10;

/** What a start has found out. */
type Started = Pick<StartFacts, "port" | "store" | "key">;

/**
 * Serves until a signal ends it.
 *
 * @throws {SettingError} If the start fails.
 */
export async function serve(settings: ServerSettings, writers: Writers, host: Host): Promise<void> {
  const isJson = settings.log === "json";
  if (isJson) writeJson(writers);
  readOptions(settings);
  const { hostname, docs: hasDocs, workers } = settings;
  const ended = signalled();
  const crew = workers === 1 ? undefined : createCrew(workers, writers, host);
  const local = new LocalServer(writers, host.listen);
  const server: EndingServer = crew ?? local;
  const report = (line: string) => writers.errors.add(`petstore: ${line}`);
  const metrics = settings.metrics && await serveMetrics(settings.metrics, host.listen, server, report);
  let endAt: number | undefined;
  try {
    const started = await (crew ? crew.start(settings) : serveAlone(local, settings, host));
    writers.output.add((isJson ? describeStartAsJson : describeStart)({ hostname, hasDocs, ...started }));
    await ended;
    endAt = performance.now() + END_TIMEOUT;
    await drain(server);
  } finally {
    await server.end(endAt === undefined ? END_TIMEOUT : endAt - performance.now());
    await metrics?.stop();
  }
}

function createCrew(workers: number, { errors }: Writers, { createWorkers, sinks }: Host): StartingServer {
  if (createWorkers) return createWorkers(workers, errors, sinks);
  throw new SettingError("Several workers need Deno; set --workers 1, or run the server on Deno");
}

/** Serves in this isolate. */
async function serveAlone(server: LocalServer, settings: ServerSettings, host: Host): Promise<Started> {
  const storeSetting = readStoreSetting(settings.store, readVariable, host);
  // The socket first, so that a start that fails because of it creates no file, and no key that is never shown.
  const port = await server.listen(settings);
  const store = await storeSetting.open();
  server.own(store);
  const key = settings.keys.length === 0 ? readKeyFile(KEY_FILE) : undefined;
  await dropPermissions(["env"]);
  // Not awaited: the start of a thread in another isolate takes half a second. Until then, this isolate commits.
  void confine(store, storeSetting.needsRead);
  server.serve(key ? { ...settings, keys: [key.key] } : settings, () => true);
  return { port, store: storeSetting.description, key };
}

/** Gives up the permissions for files when the thread that writes has started, which needs them. Without it, reading stays. */
export async function confine(store: PetStore, needsRead: boolean): Promise<void> {
  const isIndependent = store instanceof SqliteStore ? await store.startWriter() : true;
  await dropPermissions(isIndependent && !needsRead ? ["write", "read"] : ["write"]);
}

/** Waits until requests in flight are answered, then holds later ones. */
async function drain(server: EndingServer): Promise<void> {
  // Before the listener stops, because afterwards Deno delivers no more of an incomplete body (denoland/deno#36809).
  await within(DRAIN_TIMEOUT, server.close());
  await server.hold();
  // In steps, so that a process that was suspended reads from its socket again before it continues.
  for (let i = 0; i < HOLD_STEPS; i++) await new Promise((resolve) => setTimeout(resolve, HOLD_TIME / HOLD_STEPS));
}
