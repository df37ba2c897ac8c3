/** The socket of the server. */

import type { ServeHandler } from "./gate.ts";
import type { ServerSettings } from "./settings.ts";
import { startError } from "./start_error.ts";
import { within } from "./time.ts";

/** A listening socket. */
export interface Listener {
  /** The port, which `--port 0` leaves to the system. */
  port: number;
  /**
   * Takes no more connections, and waits for clients to read their last answers.
   *
   * @param patience For how many milliseconds at most.
   */
  stop(patience: number): Promise<void>;
}

/** How long to wait before listening again, in milliseconds. */
const RETRY_DELAY = 100;

/**
 * Listens until it is told to stop. Accepting fails for good once the process has as many files open as it may, which
 * clients can cause by opening connections, so the socket is opened again.
 *
 * @param report Receives lines for the operator.
 * @throws {SettingError} If it cannot listen there.
 */
export function listen(
  { hostname, port }: Pick<ServerSettings, "hostname" | "port">,
  handler: ServeHandler,
  report: (line: string) => void,
): Listener {
  const bind = (port: number) => Deno.serve({ hostname, port, onListen: () => {} }, handler);
  let server = explained(() => bind(port), `${hostname}:${port}`);
  let isStopping = false;
  const bound = server.addr.port;
  watch();

  function watch(): void {
    server.finished.catch((error) => {
      if (isStopping) return;
      report(`cannot accept connections just now: ${error.message}`);
      setTimeout(listenAgain, RETRY_DELAY);
    });
  }

  function listenAgain(): void {
    if (isStopping) return;
    try {
      server = bind(bound);
      watch();
    } catch {
      setTimeout(listenAgain, RETRY_DELAY);
    }
  }

  async function stop(patience: number): Promise<void> {
    isStopping = true;
    // It would wait for ever for a client that never finishes its request. Such a connection ends with the process.
    const isDone = await within(patience, server.shutdown().catch(() => {}));
    if (!isDone) report("left clients that had not finished");
  }

  return { port: bound, stop };
}

/** The result of `bind`. Its exceptions become errors of the start. */
function explained<T>(bind: () => T, address: string): T {
  try {
    return bind();
  } catch (error) {
    const isTaken = error instanceof Deno.errors.AddrInUse;
    const reason = isTaken ? "the port is in use; choose another with --port" : (error as Error).message;
    throw startError(`Cannot listen on ${address}: ${reason}`, error);
  }
}
