/** Runs wrk on a core of its own and reads its figures. */

import { fileURLToPath } from "node:url";
import { AUTHORIZATION } from "../catalogue.ts";

/** The core of every server. */
export const SERVER_CORE = 0;

/** The core of the load, apart from the servers. */
export const LOAD_CORE = 1;

/** Ends all processes of the benchmark when it is aborted. */
export const STOP = new AbortController();

/** Requests of one kind. A load with a body is of POST, and any other of GET. */
export interface Load {
  path: string;
  body?: string;
  connections: number;
  /**
   * Where the path has `{id}`, each request has a random id from 1 to this, and where it has
   * `{cursor}`, the cursor after one.
   */
  randomOf?: number;
  /** Whether the ids follow Zipf's law, by which the frequent ids lie anywhere. Default: all are equally frequent. */
  isSkewed?: boolean;
}

/** What wrk has measured. */
export interface Measurement {
  requests: number;
  /** Requests per second. */
  rate: number;
  /** The 99th percentile of the latency, in milliseconds. */
  p99: number;
}

const SCRIPT = fileURLToPath(new URL("wrk.lua", import.meta.url));

/**
 * Sends a load to a port of this machine.
 *
 * @throws {Error} If a response was lost or had an unexpected kind of status.
 */
export async function runWrk(port: number, load: Load, seconds: number): Promise<Measurement> {
  const { path, body = "", connections, randomOf = 0, isSkewed = false } = load;
  // A new seed keeps each run of wrk from asking for the same ids.
  const seed = Math.trunc(Math.random() * 2 ** 31);
  const toScript = [path, body, randomOf, isSkewed, seed].map(String);
  const flags = ["-t", "1", "-c", String(connections), "-d", "1h", "--latency", "-s", SCRIPT];
  const request = ["-H", `authorization: ${AUTHORIZATION}`, `http://127.0.0.1:${port}${path}`];
  // wrk itself takes whole seconds only. After this signal it prints its figures too.
  const limit = ["--preserve-status", "--signal=INT", String(seconds)];
  const pinned = ["taskset", "-c", String(LOAD_CORE), "wrk", ...flags, ...request, "--", ...toScript];
  const command = new Deno.Command("timeout", { args: [...limit, ...pinned], signal: STOP.signal });
  const { stdout, stderr, success } = await command.output();
  if (!success) throw new Error(`wrk failed: ${new TextDecoder().decode(stderr).trim()}`);
  const line = new TextDecoder().decode(stdout).trim().split("\n").at(-1) ?? "";
  const { requests, microseconds, lost, refused, p99 } = JSON.parse(line);
  if (requests === 0 || lost > 0 || refused > 0) {
    throw new Error(`Of ${requests} requests, wrk lost ${lost}, and ${refused} had a status ≥ 400`);
  }
  return { requests, rate: requests / microseconds * 1e6, p99: p99 / 1000 };
}
