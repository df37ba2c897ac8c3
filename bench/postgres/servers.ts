/** Standalone servers on one PostgreSQL, and their load. */

import { ServerProcess } from "../../tests/support/server/server_process.ts";
import { KEY } from "../catalogue.ts";
import { type Load, runWrk } from "../load/wrk.ts";

export async function startServers(folder: string, url: string, count: number): Promise<ServerProcess[]> {
  const parts = { args: [`--store=${url}`, `--key=${KEY}`, "--log=off"] };
  return await Promise.all(Array.from({ length: count }, () => ServerProcess.start(folder, parts)));
}

/** A server of any kind. */
export type Port = Pick<ServerProcess, "port">;

/** Puts the whole load on each server, and resolves to the requests per second of all together. */
export async function measureServers(servers: readonly Port[], load: Load, seconds: number): Promise<number> {
  const measured = await Promise.all(servers.map(({ port }) => runWrk(port, load, seconds)));
  return measured.reduce((sum, { rate }) => sum + rate, 0);
}
