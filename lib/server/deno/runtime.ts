import { FetchContext } from "../../hosts/fetch_context.ts";
import { toResponse } from "../../hosts/fetch_response.ts";
import { type Address, type Gate, type Listener, listenError, PROCESS, type Runtime } from "../process/runtime.ts";
import { firstLine } from "../process/start_error.ts";
import type { Report } from "../process/writers.ts";

/** Deno as the runtime of the server. */
export const DENO_RUNTIME: Runtime = {
  ...PROCESS,
  sinks: { output: Deno.stdout, errorOutput: Deno.stderr },
  listen,
};

/** The pause before each attempt to open the socket again, in milliseconds. */
const RETRY_DELAY = 100;

/**
 * Listens with `Deno.serve`, and listens again whenever Deno has stopped by itself: if clients open so many
 * connections that the process reaches its limit of open files, `Deno.serve` fails, and accepts no
 * more connections for good.
 */
function listen(address: Address, gate: Gate, report: Report): Listener {
  const { hostname, isShared = false } = address;
  const handler: Deno.ServeHandler<Deno.NetAddr> = (request, info) =>
    gate.respond(new FetchContext(request, request.headers, info), toResponse);
  const onError = (error: unknown) => {
    report(firstLine(error));
    return new Response(null, { status: 500 });
  };
  /** Whether `stop()` was called, so that a server which ends is not replaced. */
  let isStopping = false;
  let server: Deno.HttpServer<Deno.NetAddr>;
  try {
    server = start(address.port);
  } catch (error) {
    throw listenError(address, error);
  }
  const boundPort = server.addr.port;

  /** Starts a server, which is replaced when it fails. */
  function start(port: number): Deno.HttpServer<Deno.NetAddr> {
    const started = Deno.serve({ hostname, port, reusePort: isShared, onListen: () => {}, onError }, handler);
    started.finished.catch((error) => {
      if (isStopping) return;
      report(`cannot accept connections at the moment: ${error.message}`);
      setTimeout(listenAgain, RETRY_DELAY);
    });
    return started;
  }

  function listenAgain(): void {
    if (isStopping) return;
    try {
      server = start(boundPort);
    } catch {
      setTimeout(listenAgain, RETRY_DELAY);
    }
  }

  return {
    port: boundPort,
    async stop() {
      isStopping = true;
      // A server that has just failed has no connections.
      await server.shutdown().catch(() => {});
    },
  };
}
