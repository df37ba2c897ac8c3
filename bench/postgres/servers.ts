/** Standalone servers on one PostgreSQL, and wrk on all of them at once. */

import { ServerProcess } from "../../tests/support/server/server_process.ts";
import { KEY } from "../catalogue.ts";
import { type Load, runWrk } from "../load/wrk.ts";

/** Starts so many servers in a folder, and stops them when they are disposed of. */
export async function startServers(folder: string, url: string, count: number): Promise<ServerProcess[]> {
  const parts = { args: [`--store=${url}`, `--key=${KEY}`, "--no-access-log"] };
  return await Promise.all(Array.from({ length: count }, () => ServerProcess.start(folder, parts)));
}

/** Requests per second of all servers together, each under the whole load: whoever adds servers has more clients. */
export async function measureServers(servers: readonly ServerProcess[], load: Load, seconds: number): Promise<number> {
  const measured = await Promise.all(servers.map(({ port }) => runWrk(port, load, seconds)));
  return measured.reduce((sum, { rate }) => sum + rate, 0);
}
