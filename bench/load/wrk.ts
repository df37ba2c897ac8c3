/** Runs wrk on a core of its own and reads its figures. */

import { fileURLToPath } from "node:url";
import { AUTHORIZATION } from "../catalogue.ts";
import { LOAD_CORE } from "./cores.ts";

export interface Load {
  path: string;
  /** In the path, `{id}` is a random id and `{cursor}` the cursor after one. */
  random?: RandomIds;
  method: "GET" | "POST";
  body: string;
  connections: number;
  status: number;
}

/** Random ids from 1 to `pets`. */
export interface RandomIds {
  pets: number;
  /** The exponent of Zipf's law, by which the frequent ids lie anywhere; 0 if all are equally frequent. */
  skew: number;
}

export interface Measurement {
  requests: number;
  /** Requests per second. */
  rate: number;
  /** The 99th percentile of the latency, in milliseconds. */
  p99: number;
}

/** A load; by default GET requests from 64 connections with a valid key. */
export function load(path: string, parts: Partial<Load> = {}): Load {
  return {
    path,
    method: "GET",
    body: "",
    connections: 64,
    status: 200,
    ...parts,
  };
}

const SCRIPT = fileURLToPath(new URL("wrk.lua", import.meta.url));

/**
 * Sends a load to a port of this machine.
 *
 * @throws {Error} If a response was lost or had an unexpected kind of status.
 */
export async function runWrk(
  port: number,
  { path, random, method, body, connections }: Load,
  seconds: number,
): Promise<Measurement> {
  const flags = ["-c", String(connections), "-H", `authorization: ${AUTHORIZATION}`, "-s", SCRIPT];
  const url = `http://127.0.0.1:${port}${path}`;
  // A new seed keeps each run of wrk from asking for the same ids.
  const numbers = random ? [random.pets, random.skew, Math.trunc(Math.random() * 2 ** 31)].map(String) : [];
  const args = ["--", random ? "RANDOM" : method, body, path, ...numbers];
  return readFigures(await run(seconds, [...flags, url, ...args]));
}

async function run(seconds: number, args: readonly string[]): Promise<string> {
  // wrk itself takes whole seconds only. After this signal it prints its figures too.
  const limit = ["--preserve-status", "--signal=INT", String(seconds)];
  const wrk = ["wrk", "-t", "1", "-d", "1h", "--latency"];
  const command = new Deno.Command("timeout", {
    args: [...limit, "taskset", "-c", String(LOAD_CORE), ...wrk, ...args],
  });
  const { stdout, stderr, success } = await command.output();
  if (!success) throw new Error(`wrk failed: ${new TextDecoder().decode(stderr).trim()}`);
  return new TextDecoder().decode(stdout);
}

function readFigures(output: string): Measurement {
  const figures = /^FIGURES (.*)$/m.exec(output)?.[1]?.split(" ").map(Number) ?? [];
  const [requests = 0, duration = 0, lost = 0, refused = 0, p99 = 0] = figures;
  if (requests === 0 || duration === 0) throw new Error(`wrk measured nothing: ${output.trim()}`);
  if (lost > 0 || refused > 0) {
    throw new Error(`wrk lost ${lost} responses and had ${refused} of status ≥ 400`);
  }
  return { requests, rate: requests / duration * 1e6, p99: p99 / 1000 };
}
