import { Agent, get, type IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { formatAddress } from "../process/messages.ts";
import { firstLine, SettingError, UnreachableError } from "../process/start_error.ts";
import { PROBE_OK } from "../serving/probes.ts";
import { HOSTNAME } from "../settings/formats.ts";
import { SETTINGS } from "../settings/server_settings.ts";
import { declareCommand } from "./command.ts";

export const READY = declareCommand({
  summary: "tell whether a server is ready, for the health check of a container",
  options: {
    hostname: { format: HOSTNAME, default: "127.0.0.1", help: "the address of the server" },
    // The port is read as the server reads it. A health check that prepared the variable in its own
    // way would ask another port.
    port: { ...SETTINGS.port, help: "the port of the server" },
  },
  about: "The command asks the server at this address for /readyz. It does not open a store.",
  examples: ["petstore ready", "petstore ready --port 9000"],
  async run(address, { output }) {
    const origin = `http://${formatAddress(address)}`;
    await requireReady(origin);
    output.add(`${origin} is ready`);
  },
});

/**
 * The time limit for the whole response, in milliseconds. A server takes less time to find out that
 * its store is down, and a supervisor waits longer.
 */
const TIMEOUT = 5_000;

/**
 * @throws {SettingError} If the server is not ready or cannot be reached (an
 * {@link UnreachableError}), or if another program answers.
 */
async function requireReady(origin: string): Promise<void> {
  const { status, text } = await ask(origin).catch((error) => {
    throw new UnreachableError(`${origin} cannot be asked: ${firstLine(error)}`);
  });
  if (status === 503) throw new UnreachableError(`${origin} is not ready: ${messageOf(text)}`);
  // The server of a web app may answer any path with 200 and a page.
  if (status !== 200 || text !== PROBE_OK.body) {
    const what = status === 200 ? "a page of its own" : status;
    throw new SettingError(`${origin} answers /readyz with ${what}, so it is not the port of a server`);
  }
}

/**
 * Requests `/readyz`. `fetch()` is not used, because it would send the request to a proxy that the
 * environment names, also for an address of this machine. With NODE_USE_ENV_PROXY, Deno's agents do
 * so too, unless they get an environment without a proxy.
 */
async function ask(origin: string): Promise<{ status: number | undefined; text: string }> {
  const signal = AbortSignal.timeout(TIMEOUT);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const agent = new Agent({ proxyEnv: {} });
  get(`${origin}/readyz`, { signal, agent }, resolve).on("error", (error) => reject(signal.reason ?? error));
  const response = await promise;
  return { status: response.statusCode, text: await readText(response) };
}

/** The message of an Error body, or the beginning of another body, such as that of a proxy. */
function messageOf(text: string): string {
  try {
    return String(JSON.parse(text).message);
  } catch {
    return text.slice(0, 200);
  }
}
