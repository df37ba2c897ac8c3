/** Serves a contender on Deno or Node, in the usual way of the runtime. */

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import type { Petstore } from "../../mod.ts";

/** A handler for `Deno.serve`. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

const HOSTNAME = "127.0.0.1";

/** Serves on a free port and tells the benchmark which. On Node only a petstore, which has its own listener. */
export async function listen(service: FetchHandler | Petstore): Promise<void> {
  const handler = typeof service === "function" ? service : service.handle;
  if ("Deno" in globalThis) {
    Deno.serve({ port: 0, hostname: HOSTNAME, onListen: ({ port }) => announce(port) }, handler);
  } else if (typeof service !== "function") {
    const { createServer } = await import("node:http");
    const { createNodeListener } = await import("../../lib/hosts/node.ts");
    listenOnNode(createServer(createNodeListener(service)));
  }
}

/** Starts a server of `node:http` in the same way. */
export function listenOnNode(server: Server): void {
  server.listen(0, HOSTNAME, () => announce((server.address() as AddressInfo).port));
}

/** Prints the line for which the benchmark waits. */
function announce(port: number): void {
  console.log(String(port));
}

/** The settings of this process, from its command line. */
export function readSettings<T>(): T {
  return JSON.parse(process.argv[2] ?? "");
}
