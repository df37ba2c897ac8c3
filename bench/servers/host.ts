/** Serves a contender on Deno or Node, in the usual way of the runtime, on a free port. */

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";

const HOSTNAME = "127.0.0.1";

export function listen(handler: (request: Request) => Response | Promise<Response>): void {
  Deno.serve({ port: 0, hostname: HOSTNAME, onListen: ({ port }) => announce(port) }, handler);
}

export function listenOnNode(server: Server): void {
  server.listen(0, HOSTNAME, () => announce((server.address() as AddressInfo).port));
}

/** Prints the line for which the benchmark waits. The standalone server prints one like it. */
function announce(port: number): void {
  console.log(`listens on http://${HOSTNAME}:${port}`);
}

/** The settings of this process, from its command line. */
export function readSettings<T>(): T {
  return JSON.parse(process.argv[2] ?? "");
}
