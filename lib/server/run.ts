/** The standalone server's life: settings, socket, store and key, serving, draining. */

import { checkOptions, type PetstoreOptions } from "../service/options.ts";
import { postgresGrants, postgresSchema } from "../stores/postgres/postgres_store.ts";
import type { PetStore } from "../stores/store.ts";
import { VERSION } from "../version.ts";
import { createAccessLog } from "./log/access_log.ts";
import { Gate } from "./gate.ts";
import { KEY_FILE, readKeyFile } from "./key_file.ts";
import { createLineWriter, type LineWriter } from "./log/line_writer.ts";
import { listen } from "./listener.ts";
import { describeFailure, describeStart, oneLine } from "./log/messages.ts";
import { readStoreSetting, type StoreSetting } from "./store/open_store.ts";
import { createServerPipeline } from "./server_pipeline.ts";
import { HELP, readSettings, type ServerSettings, SettingError, UnreachableError } from "./settings.ts";
import { within } from "./time.ts";

/**
 * How long requests in flight may take after the first signal, in milliseconds, and how long until their answers must have
 * been read. With what closing the store adds, less than the ten seconds after which container runtimes kill.
 */
const DRAIN_TIMEOUT = 6_000, END_TIMEOUT = 7_500;

/**
 * How long requests wait that come after those in flight have been answered, in milliseconds: longer than it takes a client
 * to read an answer and its next request to come, so that whoever uses a connection is waiting on it when it is closed.
 */
const HOLD_TIME = 250;
const HOLD_STEPS = 10;

/** How long standard output and standard error may take to accept their last lines, in milliseconds. */
const FLUSH_TIMEOUT = 1_000;

/** Lines for standard output and for standard error. Neither is waited for: a reader that does not read stops nothing. */
interface Writers {
  output: LineWriter;
  errors: LineWriter;
}

/**
 * Runs the server until a signal ends it.
 *
 * @param args The command line's arguments.
 * @returns The exit status: 0 after a drain, 2 if a setting is wrong, 1 if what is in the way may go away by itself.
 */
export async function run(args: string[]): Promise<number> {
  const errors = createLineWriter(Deno.stderr);
  let isHeard = true;
  const output = createLineWriter(Deno.stdout, ({ message }) => {
    isHeard = false;
    errors.add(`petstore: standard output cannot be written: ${oneLine(message)}`);
  });
  let status = 0;
  try {
    const command = readSettings(args, readVariable);
    if ("settings" in command) {
      await serve(command.settings, { output, errors });
    } else {
      output.add(TEXTS[command.print]().trimEnd());
      await output.flush();
      if (!isHeard) status = 1;
    }
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    errors.add(`petstore: ${oneLine(error.message)}`);
    // Supervisors give up after 2: it would be the same again. What 1 tells of, another start may find gone.
    status = error instanceof UnreachableError ? 1 : 2;
  }
  await within(FLUSH_TIMEOUT, Promise.all([output.flush(), errors.flush()]).then(() => {}));
  return status;
}

/** What is printed instead of serving. */
const TEXTS = { help: () => HELP, version: () => `petstore ${VERSION}`, schema: schemaText };

/** A variable that the server may not read counts as unset. */
function readVariable(variable: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" ? Deno.env.get(variable) : undefined;
}

async function serve(settings: ServerSettings, { output, errors }: Writers): Promise<void> {
  const options = readOptions(settings, errors);
  const storeSetting = readStoreSetting(settings.store, readVariable);
  const gate = new Gate();
  const ended = signalled();
  // The socket comes first: a start that fails for want of it leaves no file behind, nor a key that nobody has seen.
  const listener = listen(settings, gate.handle, (line) => errors.add(`petstore: ${line}`));
  let store: PetStore | undefined;
  let endAt: number | undefined;
  try {
    store = await storeSetting.open();
    const fileKey = settings.keys.length === 0 ? readKeyFile(KEY_FILE) : undefined;
    await dropPermissions(storeSetting);
    const { hostname, docs: hasDocs } = settings;
    const keyed = { ...options, store, ...(fileKey && { keys: [fileKey.key] }) };
    const log = settings.accessLog ? createAccessLog(output) : undefined;
    gate.open(createServerPipeline(keyed, gate.guard, hasDocs), log);
    output.add(
      describeStart({ hostname, port: listener.port, store: storeSetting.description, key: fileKey, hasDocs }),
    );
    await ended;
    endAt = performance.now() + END_TIMEOUT;
    await drain(gate);
  } finally {
    const stopped = listener.stop(endAt === undefined ? END_TIMEOUT : endAt - performance.now());
    gate.release();
    await stopped;
    await store?.close();
  }
}

/** Lets requests in flight be answered, and then gathers those that come, for the moment when the listener stops. */
async function drain(gate: Gate): Promise<void> {
  // Before the listener stops: from then on Deno gives no more of a body that is still arriving (denoland/deno#36809).
  await within(DRAIN_TIMEOUT, gate.close());
  gate.hold();
  // In steps: a process that the system has not let run for a while would otherwise stop before it has looked who is there.
  for (let i = 0; i < HOLD_STEPS; i++) await new Promise((resolve) => setTimeout(resolve, HOLD_TIME / HOLD_STEPS));
}

/** The library's options, checked by the library before anything is touched. */
function readOptions(
  { keys, corsOrigins, publicUrl }: ServerSettings,
  errors: LineWriter,
): PetstoreOptions {
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

/**
 * From here on the server needs the network, and to look at the files of its store: what went wrong later could change no
 * file and see no variable. Deno has no way to give up the permission to read but for some paths.
 */
async function dropPermissions({ needsRead }: StoreSetting): Promise<void> {
  for (const name of ["write", "env", ...(needsRead ? [] : ["read"] as const)] as const) {
    await Deno.permissions.revoke({ name });
  }
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

/** The SQL for an administrator; what depends on a name that is not known here, as a comment. */
function schemaText(): string {
  const grants = postgresGrants("petstore_server").replaceAll(/^(?=.)/gm, "-- ");
  return `${postgresSchema()}\n-- For a role that is not the owner, here petstore_server, and again after an upgrade:\n${grants}`;
}
