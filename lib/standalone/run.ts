/** The standalone server's life: settings, store and keys, serving, draining. */

import { splitUrl } from "../http/routing.ts";
import { StoreUnavailableError } from "../stores/store.ts";
import { VERSION } from "../version.ts";
import { type AccessLog, createAccessLog } from "./access_log.ts";
import { createHandler, type HandlerOptions } from "./handler.ts";
import { type FileKey, KEY_FILE, readKeyFile } from "./key_file.ts";
import { InFlight } from "./in_flight.ts";
import { openStore } from "./open_store.ts";
import { HELP, readSettings, type ServerSettings, SettingError } from "./settings.ts";

/** How long requests in flight may take after the first signal, in milliseconds. */
const DRAIN_TIMEOUT = 30_000;

/** How long a client may then take to read its answer and close, in milliseconds. */
const LINGER_TIMEOUT = 5_000;

/**
 * Runs the server until a signal ends it.
 *
 * @param args The command line's arguments.
 * @returns The exit status: 0 after a drain, 2 if a setting is wrong.
 */
export async function run(args: string[]): Promise<number> {
  try {
    const command = readSettings(args, readVariable);
    if ("settings" in command) await serve(command.settings);
    else console.log(command.print === "help" ? HELP.trimEnd() : `petstore ${VERSION}`);
    return 0;
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    console.error(`petstore: ${error.message}`);
    return 2;
  }
}

async function serve(settings: ServerSettings): Promise<void> {
  const fileKey = settings.keys.length === 0 ? await readKeyFile(KEY_FILE) : undefined;
  const store = await openStore(settings.store);
  try {
    await dropPermissions();
    const options: HandlerOptions = { store, keys: fileKey ? [fileKey.key] : settings.keys, onError: logError };
    if (settings.corsOrigins.length > 0) options.cors = { origins: settings.corsOrigins };
    const log = settings.accessLog ? createAccessLog(Deno.stdout) : undefined;
    const inFlight = new InFlight();
    const abort = new AbortController();
    const server = listen(settings, mount(options, inFlight, log), abort.signal);
    console.log(describeStart(settings, fileKey, server.addr));
    await signalled();
    await drain(server, inFlight, abort);
    await log?.flush();
  } finally {
    await store.close();
  }
}

/** From here on only the network is needed: whatever went wrong later could no longer reach a file or a variable. */
async function dropPermissions(): Promise<void> {
  for (const name of ["read", "write", "env"] as const) await Deno.permissions.revoke({ name });
}

/** What the library refuses of its options was a setting here. */
function mount(
  options: HandlerOptions,
  inFlight: InFlight,
  log: AccessLog | undefined,
): Deno.ServeHandler<Deno.NetAddr> {
  try {
    return createHandler(options, inFlight, log);
  } catch (error) {
    throw error instanceof TypeError ? new SettingError(error.message) : error;
  }
}

function listen(
  { hostname, port }: ServerSettings,
  handler: Deno.ServeHandler<Deno.NetAddr>,
  signal: AbortSignal,
): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve({ hostname, port, signal, onListen: () => {} }, handler);
  } catch (error) {
    const reason = error instanceof Deno.errors.AddrInUse
      ? "the port is in use"
      : error instanceof Error
      ? error.message
      : String(error);
    throw new SettingError(`Cannot listen on ${hostname}:${port}: ${reason}`);
  }
}

function describeStart({ store, hostname }: ServerSettings, key: FileKey | undefined, { port }: Deno.NetAddr): string {
  const origin = `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  const shown = key === undefined ? "as set" : key.isNew ? `${key.key} (new, kept in ${KEY_FILE})` : `in ${KEY_FILE}`;
  const pasted = key === undefined ? "<API_KEY>" : `$(cat ${KEY_FILE})`;
  return [
    `Petstore ${VERSION} listens on ${origin}/v1`,
    `  store        ${store}${store === "memory:" ? " (gone when the server stops)" : ""}`,
    `  API key      ${shown}`,
    `  description  ${origin}/openapi.json`,
    `  try          curl -H "Authorization: Bearer ${pasted}" ${origin}/v1/pets`,
  ].join("\n");
}

/** A variable that the server may not read counts as unset. */
function readVariable(variable: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" ? Deno.env.get(variable) : undefined;
}

/** Resolves at the first SIGTERM or SIGINT; a later one ends the process at once. */
function signalled(): Promise<void> {
  // Windows knows no SIGTERM.
  const signals: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGTERM", "SIGINT"];
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const signal of signals) {
      Deno.addSignalListener(signal, () => {
        firstAt ??= performance.now();
        // One Ctrl-C arrives twice where a task runner passes on what the terminal has sent to both.
        if (performance.now() - firstAt > 1000) Deno.exit(1);
        resolve();
      });
    }
  });
}

/**
 * Answers what has begun, then stops. `shutdown()` comes second, because from then on Deno gives no more of a body that
 * is still arriving (denoland/deno#36809); and it would wait for ever for a client that never finishes its request.
 */
async function drain(server: Deno.HttpServer, inFlight: InFlight, abort: AbortController): Promise<void> {
  await within(DRAIN_TIMEOUT, inFlight.settled());
  const stopped = server.shutdown();
  await within(DRAIN_TIMEOUT, inFlight.settled());
  if (await within(LINGER_TIMEOUT, stopped)) return;
  console.error("petstore: closed the connections of clients that did not finish");
  abort.abort();
}

/** Whether a promise resolved within a time, in milliseconds. */
async function within(time: number, promise: Promise<void>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => timer = setTimeout(resolve, time, false));
  const inTime = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}

/** An unavailable store is the world's fault and worth a line; anything else is ours and worth the trace. */
function logError(error: unknown, request: Request): void {
  const isOurs = !(error instanceof StoreUnavailableError);
  const what = error instanceof Error ? (isOurs ? error.stack : error.message) : String(error);
  console.error(`${new Date().toISOString()} ${request.method} ${splitUrl(request.url).path} failed: ${what}`);
}
