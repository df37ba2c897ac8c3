/** Asks a running server whether it is ready, as the health check of a container does. */

import { get, type IncomingMessage } from "node:http";
import type { Format } from "../settings/arguments.ts";
import { firstLine } from "../process/start_error.ts";

/** Longer than a server takes to find out that its store is down, and shorter than a supervisor waits. */
const TIMEOUT = 5_000;

/** The server itself has no TLS, and a proxy in front of it keeps the path to itself. */
export const SERVER_ADDRESS: Format<URL> = {
  form: "the address of a server, such as http://127.0.0.1:8000",
  parse(text) {
    const url = URL.parse(text);
    return url?.protocol === "http:" ? url : undefined;
  },
};

/** Why a server is not ready, and the exit status; no fault if it is. */
export async function askServer({ origin }: URL): Promise<{ status: 0 | 1 | 2; faults: string[] }> {
  try {
    const { status, text } = await ask(origin);
    if (status === 200) return { status: 0, faults: [] };
    if (status === 503) return { status: 1, faults: [`${origin} is not ready: ${messageOf(text)}`] };
    return { status: 2, faults: [`${origin} answers /readyz with ${status}, so it is not the port of a server`] };
  } catch (error) {
    return { status: 1, faults: [`${origin} cannot be asked: ${firstLine(error)}`] };
  }
}

/** Not by fetch(), which asks a proxy of the environment also for an address of this machine. */
async function ask(origin: string): Promise<{ status: number | undefined; text: string }> {
  const signal = AbortSignal.timeout(TIMEOUT);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(`${origin}/readyz`, { signal, agent: false }, resolve).on("error", (error) => reject(signal.reason ?? error));
  const response = await promise;
  let text = "";
  for await (const part of response.setEncoding("utf8")) text += part;
  return { status: response.statusCode, text };
}

/** The message of an Error body, or the whole body of another server. */
function messageOf(text: string): string {
  try {
    return String(JSON.parse(text).message);
  } catch {
    return text.slice(0, 200);
  }
}
