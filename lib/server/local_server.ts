/** Serves in the present isolate: a listener, a gate behind it, and the service with its store behind that. */

import { checkOptions, type PetstoreOptions } from "../service/options.ts";
import type { PetStore } from "../stores/store.ts";
import { Gate } from "./gate.ts";
import type { Address, EndingServer, Listen, Listener } from "./host.ts";
import { createAccessLog } from "./log/access_log.ts";
import { describeFailure } from "./log/messages.ts";
import { createServerPipeline } from "./server_pipeline.ts";
import type { ServerSettings } from "./settings.ts";
import { SettingError } from "./start_error.ts";
import type { Writers } from "./writers.ts";

export class LocalServer implements EndingServer {
  readonly #writers: Writers;
  readonly #listen: Listen;
  readonly #gate = new Gate();
  #listener: Listener | undefined;
  #store: PetStore | undefined;

  constructor(writers: Writers, listen: Listen) {
    this.#writers = writers;
    this.#listen = listen;
  }

  /**
   * Listens. Every request is refused until {@link serve}.
   *
   * @returns The port.
   * @throws {SettingError} If it cannot listen at this address.
   */
  async listen(address: Address): Promise<number> {
    const report = (line: string) => this.#writers.errors.add(`petstore: ${line}`);
    this.#listener = await this.#listen(address, this.#gate, report);
    return this.#listener.port;
  }

  /** Takes over the store, which {@link end} closes. */
  own(store: PetStore): void {
    this.#store = store;
  }

  /**
   * Answers requests from its store.
   *
   * @param isComplete Whether the isolates beside this one serve too.
   */
  serve(settings: ServerSettings, isComplete: () => boolean): void {
    const { output, errors } = this.#writers;
    const store = this.#store;
    if (!store) throw new Error("The server owns no store yet");
    const onError: PetstoreOptions["onError"] = (error, request) => errors.add(describeFailure(error, request));
    const options = { ...readOptions(settings), store, onError };
    const pipeline = createServerPipeline(options, this.#gate.guard, { hasDocs: settings.docs, isComplete });
    this.#gate.open(pipeline, settings.accessLog ? createAccessLog(output) : undefined);
  }

  close(): Promise<void> {
    return this.#gate.close();
  }

  hold(): Promise<void> {
    this.#gate.hold();
    return Promise.resolve();
  }

  /** The first part of {@link end}. Resolves when the socket is closed. */
  async stop(): Promise<void> {
    await this.#listener?.stop();
  }

  async end(patience: number): Promise<void> {
    this.stop();
    this.#gate.release();
    await this.#listener?.finish(patience);
    await this.#store?.close();
  }
}

/**
 * Converts the settings to options of the library, which checks them before anything is opened.
 *
 * @throws {SettingError} If a value is invalid.
 */
export function readOptions(
  { keys, corsOrigins, publicUrl }: Pick<ServerSettings, "keys" | "corsOrigins" | "publicUrl">,
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
  return { keys, ...options };
}
