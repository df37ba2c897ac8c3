/** What all servers here stand on: the runtime's own way to serve a fetch handler. Deno, Bun and Node. */

import { readFileSync } from "node:fs";
import process from "node:process";

/** What `Deno.serve`, `Bun.serve` and the fetch adapter of Node all take. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

/** The part of Bun that is used. */
interface BunRuntime {
  serve(options: { port: number; hostname: string; fetch: FetchHandler }): { port: number };
}

const HOSTNAME = "127.0.0.1";

/** Serves on a free port and tells the benchmark which. */
export async function listen(handler: FetchHandler): Promise<void> {
  const bun = (globalThis as { Bun?: BunRuntime }).Bun;
  if (bun) announce(bun.serve({ port: 0, hostname: HOSTNAME, fetch: handler }).port);
  else if ("Deno" in globalThis) {
    Deno.serve({ port: 0, hostname: HOSTNAME, onListen: ({ port }) => announce(port) }, handler);
  } else {
    const { FastResponse, serve } = await import("srvx/node");
    // As the adapter's own documentation advises: Node's Response is slow to make and to read. The same for all.
    Object.assign(globalThis, { Response: FastResponse });
    const server = serve({ port: 0, hostname: HOSTNAME, silent: true, fetch: handler });
    await server.ready();
    announce(Number(new URL(server.url ?? "").port));
  }
}

/** The line that the benchmark waits for. */
export function announce(port: number): void {
  console.log(String(port));
}

/** What the benchmark has started this process with. */
export function readSettings<T>(): T {
  return JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
}
