import type { ServeHandler } from "./gate.ts";
import { startError } from "./start_error.ts";
import { within } from "./time.ts";

/** A listening socket. */
export interface Listener {
  /** The actual port, if the setting is 0. */
  port: number;
  /** Accepts no more connections. Resolves when the socket is closed. */
  stop(): Promise<void>;
  /**
   * Waits, after {@link stop}, until clients have read their last answers.
   *
   * @param patience The longest wait, in milliseconds.
   */
  finish(patience: number): Promise<void>;
}

/** Where to listen. */
export interface Address {
  hostname: string;
  port: number;
  /** Whether other isolates of this server listen there too. Linux then gives each connection to one of them. */
  isShared?: boolean;
}

/** In milliseconds. */
const RETRY_DELAY = 100;

/**
 * Listens until `stop()`. If clients open so many connections that the process reaches its limit of open files, Deno stops
 * accepting for good. Then the socket is opened again.
 *
 * @param report Receives lines for the operator.
 * @throws {SettingError} If it cannot listen at this address.
 */
export function listen(
  { hostname, port, isShared = false }: Address,
  handler: ServeHandler,
  report: (line: string) => void,
): Listener {
  const bind = (port: number) => Deno.serve({ hostname, port, reusePort: isShared, onListen: () => {} }, handler);
  let server = explained(() => bind(port), `${hostname}:${port}`);
  let isStopping = false;
  let ended = Promise.resolve();
  const bound = server.addr.port;
  watch();

  function watch(): void {
    server.finished.catch((error) => {
      if (isStopping) return;
      report(`cannot accept connections at the moment: ${error.message}`);
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

  async function stop(): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    ended = server.shutdown().catch(() => {});
    // Deno closes the socket in the next turn of the event loop.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  }

  async function finish(patience: number): Promise<void> {
    // With a limit, because a client may never finish its request. The process then ends with the connection open.
    if (!await within(patience, ended)) report("stopped before all clients had finished their requests");
  }

  return { port: bound, stop, finish };
}

/** Turns an exception of `bind` into an error of the start. */
export function explained<T>(bind: () => T, address: string): T {
  try {
    return bind();
  } catch (error) {
    const isTaken = error instanceof Deno.errors.AddrInUse;
    const reason = isTaken ? "the port is in use; choose another with --port" : (error as Error).message;
    throw startError(`Cannot listen on ${address}: ${reason}`, error);
  }
}
