import { get, type IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { firstLine, SettingError, UnreachableError } from "../process/start_error.ts";
import type { Command } from "./command.ts";

export const READY: Command = {
  summary: "tell whether a server is ready, for the health check of a container",
  settings: [],
  operand: "url",
  needsOperand: true,
  about: "The command asks the server at this address for /readyz. It does not open a store.",
  statuses: [
    "the server is ready",
    "the server is not ready, or cannot be reached",
    "a wrong command line, or something else answers at the address",
  ],
  examples: ["petstore ready http://127.0.0.1:8000"],
  async run({ operand }, context) {
    const { origin } = parseAddress(operand);
    await requireReady(origin);
    context.writers.output.add(`${origin} is ready`);
    return 0;
  },
};

/** Longer than a server takes to find out that its store is down, and shorter than a supervisor waits. In milliseconds. */
const TIMEOUT = 5_000;

/** The server itself has no TLS, and a proxy in front of it keeps the path to itself. */
function parseAddress(text: string): URL {
  const url = URL.parse(text);
  // A query such as `?writes` would have no effect, although its answer may be another one.
  if (url?.protocol === "http:" && url.search === "") return url;
  throw new SettingError(
    `The url must be the address of a server, such as http://127.0.0.1:8000, without a query, not ${
      JSON.stringify(text)
    }`,
  );
}

/** @throws {SettingError} If the server is not ready, or another program answers. */
async function requireReady(origin: string): Promise<void> {
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
