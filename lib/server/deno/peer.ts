/** Calls between the main isolate and a worker, over one port and in both directions. */

import type { MessagePort } from "node:worker_threads";
import type { Port } from "../../stores/sqlite/writer_messages.ts";
import { firstLine, SettingError, UnreachableError } from "../process/start_error.ts";

/** A function for each call. */
export type Handlers<Calls> = { [Name in keyof Calls]: (argument: Calls[Name]) => unknown };

/** An error, without its class. */
interface Failure {
  message: string;
  isTemporary: boolean;
}

type Message = { id: number } & ({ name: string; argument: unknown } | { result: unknown } | { failure: Failure });

/** The other side. `Calls` are those that it performs, each with its argument. */
export class Peer<Calls, OwnCalls> {
  readonly #port: Port<unknown, unknown>;
  readonly #handlers: Handlers<OwnCalls>;
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  constructor(port: MessagePort, handlers: Handlers<OwnCalls>) {
    this.#port = port as unknown as Port<unknown, unknown>;
    this.#handlers = handlers;
    // Not `on()`, with which Deno reads the bytes of the access log one by one.
    this.#port.onmessage = ({ data }) => void this.#receive(data as Message);
  }

  /** @throws {SettingError} If the handler of the other side throws. */
  call<Name extends keyof Calls & string>(name: Name, argument: Calls[Name]): Promise<unknown> {
    const call = Promise.withResolvers<unknown>();
    const id = ++this.#lastId;
    this.#calls.set(id, call);
    this.#post({ id, name, argument });
    return call.promise;
  }

  close(): void {
    this.#port.close();
  }

  async #receive(message: Message): Promise<void> {
    const { id } = message;
    if ("name" in message) return await this.#answer(id, message.name as keyof OwnCalls, message.argument);
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if ("result" in message) return call?.resolve(message.result);
    const { failure } = message;
    call?.reject(new (failure.isTemporary ? UnreachableError : SettingError)(failure.message));
  }

  async #answer(id: number, name: keyof OwnCalls, argument: unknown): Promise<void> {
    try {
      const result = await this.#handlers[name](argument as OwnCalls[keyof OwnCalls]);
      this.#post({ id, result });
    } catch (error) {
      const isTemporary = error instanceof UnreachableError || !(error instanceof SettingError);
      this.#post({ id, failure: { message: firstLine(error), isTemporary } });
    }
  }

  #post(message: Message): void {
    this.#port.postMessage(message);
  }
}
