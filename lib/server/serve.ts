/** Starts the server, and ends it in an orderly way. */

import { checkOptions, type PetstoreOptions } from "../service/options.ts";
import type { PetStore } from "../stores/store.ts";
import { Gate } from "./gate.ts";
import { KEY_FILE, readKeyFile } from "./key_file.ts";
import { listen } from "./listener.ts";
import { createAccessLog } from "./log/access_log.ts";
import type { LineWriter } from "./log/line_writer.ts";
import { describeFailure, describeStart } from "./log/messages.ts";
import { dropPermissions, readVariable, signalled } from "./process.ts";
import { createServerPipeline } from "./server_pipeline.ts";
import type { ServerSettings } from "./settings.ts";
import { SettingError } from "./start_error.ts";
import { readStoreSetting } from "./store/open_store.ts";
import { within } from "./time.ts";

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

/** Writers to standard output and standard error. */
export interface Writers {
  output: LineWriter;
  errors: LineWriter;
}

/**
 * Serves until a signal ends it.
 *
 * @throws {SettingError} If the start fails.
 */
export async function serve(settings: ServerSettings, { output, errors }: Writers): Promise<void> {
  const options = readOptions(settings, errors);
  const storeSetting = readStoreSetting(settings.store, readVariable);
  const gate = new Gate();
  const ended = signalled();
  // The socket first, so that a start that fails because of it creates no file, and no key that is never shown.
  const listener = listen(settings, gate.handle, (line) => errors.add(`petstore: ${line}`));
  let store: PetStore | undefined;
  let endAt: number | undefined;
  try {
    store = await storeSetting.open();
    const key = settings.keys.length === 0 ? readKeyFile(KEY_FILE) : undefined;
    await dropPermissions(storeSetting.needsRead);
    const { hostname, docs: hasDocs } = settings;
    const whole = { ...options, store, ...(key && { keys: [key.key] }) };
    const log = settings.accessLog ? createAccessLog(output) : undefined;
    gate.open(createServerPipeline(whole, gate.guard, hasDocs), log);
    output.add(describeStart({ hostname, port: listener.port, store: storeSetting.description, key, hasDocs }));
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

/** Waits until requests in flight are answered, then holds later ones. */
async function drain(gate: Gate): Promise<void> {
  // Before the listener stops, because afterwards Deno delivers no more of an incomplete body (denoland/deno#36809).
  await within(DRAIN_TIMEOUT, gate.close());
  gate.hold();
  // In steps, so that a process that was suspended reads from its socket again before it continues.
  for (let i = 0; i < HOLD_STEPS; i++) await new Promise((resolve) => setTimeout(resolve, HOLD_TIME / HOLD_STEPS));
}

/** Converts the settings to options of the library, which checks them before anything is opened. */
function readOptions({ keys, corsOrigins, publicUrl }: ServerSettings, errors: LineWriter): PetstoreOptions {
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
