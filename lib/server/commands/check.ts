import { firstLine, SettingError, UnreachableError } from "../process/start_error.ts";
import { type Command, readSharedStore, readStore } from "./command.ts";
import { get, type IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import type { Format } from "../settings/arguments.ts";

export const CHECK: Command = {
  summary: "tell whether the store is sound, or a server ready",
  flags: { url: { value: "URL", help: "ask the server at this address whether it is ready, and look at no store" } },
  about:
    "Servers may use the store meanwhile; nothing is written and no file is made. Each fault has a line on standard error.",
  statuses: [
    "the store is sound, or the server ready",
    "the store cannot be checked at the moment, or the server is not ready or cannot be reached",
    "a wrong command line, or the store is not sound, or something else answers at the address",
  ],
  examples: [
    "petstore check",
    "petstore check --store sqlite:copy.db && mv copy.db /backup/",
    "PETSTORE_STORE=postgres://user@db.example/pets petstore check",
    "petstore check --url http://127.0.0.1:8000",
  ],
  failure: "The store cannot be checked",
  async run(args, context) {
    const { output, errors } = context.writers;
    const url = args.optional("url", SERVER_ADDRESS);
    if (url !== undefined) {
      await requireReady(url);
      output.add(`${url.origin} is ready`);
      return 0;
    }
    const { description } = await readStore(args, context);
    const { faults, contents } = await (await readSharedStore(args, context)).check();
    for (const fault of faults) errors.add(`petstore: ${fault}`);
    if (faults.length > 0) return 2;
    output.add(`${description} is sound: ${contents}`);
    return 0;
  },
};

/** Longer than a server takes to find out that its store is down, and shorter than a supervisor waits. */
const TIMEOUT = 5_000;

/** The server itself has no TLS, and a proxy in front of it keeps the path to itself. */
const SERVER_ADDRESS: Format<URL> = {
  form: "the address of a server, such as http://127.0.0.1:8000",
  parse(text) {
    const url = URL.parse(text);
    return url?.protocol === "http:" ? url : undefined;
  },
};

/** @throws {SettingError} If the server is not ready, or another program answers. */
async function requireReady({ origin }: URL): Promise<void> {
  const { status, text } = await ask(origin).catch((error) => {
    throw new UnreachableError(`${origin} cannot be asked: ${firstLine(error)}`);
  });
  if (status === 503) throw new UnreachableError(`${origin} is not ready: ${messageOf(text)}`);
  if (status !== 200) {
    throw new SettingError(`${origin} answers /readyz with ${status}, so it is not the port of a server`);
  }
}

/**
 * Asks a server for `/readyz`. This is not `fetch()`, which would ask a proxy of the environment, also for an address
 * of this machine.
 */
async function ask(origin: string): Promise<{ status: number | undefined; text: string }> {
  const signal = AbortSignal.timeout(TIMEOUT);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(`${origin}/readyz`, { signal, agent: false }, resolve).on("error", (error) => reject(signal.reason ?? error));
  const response = await promise;
  return { status: response.statusCode, text: await readText(response) };
}

/** The message of an Error body, or the whole body of another server. */
function messageOf(text: string): string {
  try {
    return String(JSON.parse(text).message);
  } catch {
    return text.slice(0, 200);
  }
}
