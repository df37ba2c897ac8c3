/** Standalone servers on one PostgreSQL, and their load. */

import { ServerProcess } from "../../tests/support/server/server_process.ts";
import { KEY } from "../catalogue.ts";
import { type Load, runWrk } from "../load/wrk.ts";
import type { Answers } from "./pgbench.ts";

export async function startServers(folder: string, url: string, count: number): Promise<ServerProcess[]> {
  const parts = { args: [`--store=${url}`, `--key=${KEY}`, "--log=off"] };
  return await Promise.all(Array.from({ length: count }, () => ServerProcess.start(folder, parts)));
}

/** A server of any kind. */
export type Port = Pick<ServerProcess, "port">;

/** Puts the whole load on each server. */
export async function measureServers(servers: readonly Port[], load: Load, seconds: number): Promise<Answers> {
  const measured = await Promise.all(servers.map(({ port }) => runWrk(port, load, seconds)));
  const sum = (figures: number[]) => figures.reduce((sum, each) => sum + each, 0);
  return { rate: sum(measured.map(({ rate }) => rate)), count: sum(measured.map(({ requests }) => requests)) };
}
