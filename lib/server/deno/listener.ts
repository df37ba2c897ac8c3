/** Listens with `Deno.serve`. */

import { FetchContext, sendableResponse } from "../../hosts/fetch.ts";
import { type Address, type Listen, listenError, UNFINISHED } from "../service/listener.ts";
import { readVariable } from "../process/process.ts";
import { firstLine, SettingError } from "../process/start_error.ts";
import { resolvesWithin } from "../../promises.ts";

/** The pause before the socket is opened again, in milliseconds. */
const RETRY_DELAY = 100;

/**
 * Listens, and listens again after Deno has stopped: if clients open so many connections that the process reaches its
 * limit of open files, `Deno.serve` accepts no more for good.
 */
export const listen: Listen = (address, gate, report) => {
  requireOwnAddress();
  const { hostname, isShared = false } = address;
  const handler: Deno.ServeHandler<Deno.NetAddr> = (request, info) =>
    gate.respond(new FetchContext(request, request.headers, info), info, sendableResponse);
  const onError = (error: unknown) => {
    report(firstLine(error));
    return new Response(null, { status: 500 });
  };
  const bind = (port: number) =>
    Deno.serve({ hostname, port, reusePort: isShared, onListen: () => {}, onError }, handler);
  let server = explainBindErrors(() => bind(address.port), address);
  let isStopping = false;
  let stopped = Promise.resolve();
  const boundPort = server.addr.port;
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
      server = bind(boundPort);
      watch();
    } catch {
      setTimeout(listenAgain, RETRY_DELAY);
    }
  }

  return {
    port: boundPort,
    async stop() {
      if (isStopping) return;
      isStopping = true;
      stopped = server.shutdown().catch(() => {});
      // Deno closes the socket in the next turn of the event loop.
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
    },
    async finish(timeoutMs) {
      // The wait has a limit, because a client may never finish its request. The process then ends with the connection
      // open.
      if (!await resolvesWithin(timeoutMs, stopped)) report(UNFINISHED);
    },
  };
};

/** Deno would listen at the address of this variable, and not at that of the settings. */
function requireOwnAddress(): void {
  if (!readVariable("DENO_SERVE_ADDRESS")) return;
  throw new SettingError("DENO_SERVE_ADDRESS would replace the address of the settings; unset it");
}

/** Turns an exception of `bind` into an error of the start. */
export function explainBindErrors<T>(bind: () => T, address: Address): T {
  try {
    return bind();
  } catch (error) {
    throw listenError(address, error);
  }
}
