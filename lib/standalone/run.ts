/** The standalone server's life: settings, socket, store and key, serving, draining. */

import { checkOptions } from "../options.ts";
import { postgresGrants, postgresSchema } from "../stores/postgres.ts";
import { type PetStore, StoreUnavailableError } from "../stores/store.ts";
import { VERSION } from "../version.ts";
import { createAccessLog, loggedTarget, shorten } from "./access_log.ts";
import { Gate } from "./gate.ts";
import { createHandler, type HandlerOptions } from "./handler.ts";
import { type FileKey, KEY_FILE, readKeyFile } from "./key_file.ts";
import { createLineWriter, type LineWriter } from "./line_writer.ts";
import { listen } from "./listener.ts";
import { readStoreSetting, type StoreSetting } from "./open_store.ts";
import { HELP, readSettings, type ServerSettings, SettingError, UnreachableError } from "./settings.ts";
import { within } from "./time.ts";

/**
 * How long requests in flight may take after the first signal, in milliseconds. With what the listener adds, less than
 * the ten seconds after which container runtimes kill.
 */
const DRAIN_TIMEOUT = 6_000;

/** How long standard output and standard error may take to accept their last lines, in milliseconds. */
const FLUSH_TIMEOUT = 1_000;

/**
 * Runs the server until a signal ends it.
 *
 * @param args The command line's arguments.
 * @returns The exit status: 0 after a drain, 2 if a setting is wrong, 1 if the database cannot be reached yet.
 */
export async function run(args: string[]): Promise<number> {
  try {
    const command = readSettings(args, readVariable);
    if ("settings" in command) await serve(command.settings);
    else console.log(TEXTS[command.print]().trimEnd());
    return 0;
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    console.error(`petstore: ${oneLine(error.message)}`);
    // Supervisors give up after 2: it would be the same again. At the boot of a machine a database may come later.
    return error instanceof UnreachableError ? 1 : 2;
  }
}

/** What is printed instead of serving. */
const TEXTS = { help: () => HELP, version: () => `petstore ${VERSION}`, schema: schemaText };

/** Whatever a setting had in it, a message is one line and does nothing to a terminal. */
function oneLine(message: string): string {
  return message.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/** A variable that the server may not read counts as unset. */
function readVariable(variable: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" ? Deno.env.get(variable) : undefined;
}

async function serve(settings: ServerSettings): Promise<void> {
  const output = createLineWriter(Deno.stdout);
  const errors = createLineWriter(Deno.stderr);
  const options = readOptions(settings, errors);
  const storeSetting = readStoreSetting(settings.store, readVariable);
  const gate = new Gate();
  const ended = signalled();
  // The socket comes first: a start that fails for want of it leaves no file behind, nor a key that nobody has seen.
  const listener = listen(settings, gate.handle);
  let store: PetStore | undefined;
  try {
    store = await storeSetting.open();
    const fileKey = settings.keys.length === 0 ? await readKeyFile(KEY_FILE) : undefined;
    await dropPermissions();
    gate.open(
      createHandler(
        { ...options, store, ...(fileKey && { keys: [fileKey.key] }) },
        { log: settings.accessLog ? createAccessLog(output) : undefined, hasDocs: settings.docs },
      ),
    );
    console.log(describeStart(settings, storeSetting, fileKey, listener.port));
    await ended;
    // Before the listener stops: from then on Deno gives no more of a body that is still arriving (denoland/deno#36809).
    await within(DRAIN_TIMEOUT, gate.close());
  } finally {
    await listener.stop();
    await within(FLUSH_TIMEOUT, Promise.all([output.flush(), errors.flush()]).then(() => {}));
    await store?.close();
  }
}

/** The library's options, checked by the library before anything is touched. */
function readOptions(
  { keys, corsOrigins, publicUrl }: ServerSettings,
  errors: LineWriter,
): Omit<HandlerOptions, "store"> {
  const options = {
    ...(corsOrigins.length === 0 ? {} : { cors: { origins: corsOrigins } }),
    ...(publicUrl === "" ? {} : { publicBaseUrl: publicUrl }),
  };
  try {
    checkOptions({ keys: keys.length === 0 ? ["key-of-the-file"] : keys, ...options });
  } catch (error) {
    throw error instanceof TypeError ? new SettingError(error.message) : error;
  }
  return { keys, ...options, onError: (error, request) => errors.add(describeFailure(error, request)) };
}

/** From here on only the network is needed: whatever went wrong later could no longer reach a file or a variable. */
async function dropPermissions(): Promise<void> {
  for (const name of ["read", "write", "env"] as const) await Deno.permissions.revoke({ name });
}

function describeStart(
  { hostname, docs }: ServerSettings,
  { description }: StoreSetting,
  key: FileKey | undefined,
  port: number,
): string {
  const origin = `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  const shown = key === undefined ? "as set" : key.isNew ? `${key.key} (new, kept in ${KEY_FILE})` : `in ${KEY_FILE}`;
  const pasted = key === undefined ? "<API_KEY>" : `$(cat ${KEY_FILE})`;
  return [
    `Petstore ${VERSION} listens on ${origin}/v1`,
    `  store        ${description}`,
    `  API key      ${shown}`,
    `  description  ${origin}/${docs ? "docs" : "openapi.json"}`,
    `  try          curl -H "Authorization: Bearer ${pasted}" ${origin}/v1/pets`,
  ].join("\n");
}

/** Resolves at the first SIGTERM or SIGINT; a later one ends the process at once. */
function signalled(): Promise<void> {
  // Windows knows no SIGTERM.
  const signals: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGTERM", "SIGINT"];
  // A file has become larger than the system allows (ulimit -f): the write fails too, which is enough, but first a signal
  // comes, and one that nobody listens for ends the process.
  if (Deno.build.os !== "windows") Deno.addSignalListener("SIGXFSZ", () => {});
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

/** An unavailable store is the world's fault and worth a line; anything else is ours and worth the trace. */
function describeFailure(error: unknown, { method, url }: Request): string {
  const isOurs = !(error instanceof StoreUnavailableError);
  const what = error instanceof Error ? (isOurs ? error.stack : error.message) : String(error);
  return `${new Date().toISOString()} ${shorten(method)} ${loggedTarget(url)} failed: ${what}`;
}

/** The SQL for an administrator; what depends on a name that is not known here, as a comment. */
function schemaText(): string {
  const grants = postgresGrants("petstore_server").replaceAll(/^(?=.)/gm, "-- ");
  return `${postgresSchema()}\n-- For a role that is not the owner, here petstore_server, and again after an upgrade:\n${grants}`;
}
