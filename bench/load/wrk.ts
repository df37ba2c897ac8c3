/** Runs wrk on its own core and reads what it measured. */

import { fileURLToPath } from "node:url";
import { AUTHORIZATION } from "../catalogue.ts";
import { LOAD_CORE } from "./cores.ts";

/** What is asked of a server, over and over. */
export interface Load {
  /** One path, or many of which every request takes one at random. */
  paths: readonly string[];
  method: "GET" | "POST";
  body: string;
  headers: Record<string, string>;
  connections: number;
  /** The status that is expected of every answer. */
  status: number;
}

/** What one run measured. */
export interface Measurement {
  /** Requests per second. */
  rate: number;
  /** The latency that one request in a hundred exceeds, in milliseconds. */
  p99: number;
  /** The share of its core that wrk used, 0 to 1. */
  loadShare: number;
}

/** A load of GET requests of 64 connections with a valid key, where nothing else is said. */
export function load(paths: string | readonly string[], parts: Partial<Load> = {}): Load {
  return {
    paths: typeof paths === "string" ? [paths] : paths,
    method: "GET",
    body: "",
    connections: 64,
    status: 200,
    ...parts,
    headers: { authorization: AUTHORIZATION, ...parts.headers },
  };
}

const SCRIPT = scriptPath("wrk.lua");
const WALK = scriptPath("walk.lua");

/**
 * Sends a load to a port of this machine.
 *
 * @throws {Error} If an answer was lost or had another kind of status than expected.
 */
export async function runWrk(port: number, load: Load, seconds: number): Promise<Measurement> {
  const { paths, method, body, headers, connections, status } = load;
  const file = await Deno.makeTempFile({ prefix: "petstore-bench-" });
  try {
    await Deno.writeTextFile(file, paths.join("\n"));
    const flags = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const size = ["-c", String(connections), "-d", `${seconds}s`];
    const url = `http://127.0.0.1:${port}${paths[0]}`;
    return readFigures(await run([...size, "-s", SCRIPT, ...flags, url, "--", file, method, body]), status);
  } finally {
    await Deno.remove(file);
  }
}

/** Follows the links of a list from a path on, as one client. Answers with the path that it has got to, too. */
export async function walkWithWrk(
  port: number,
  path: string,
  seconds: number,
): Promise<Measurement & { position: string }> {
  const header = `authorization: ${AUTHORIZATION}`;
  const url = `http://127.0.0.1:${port}`;
  const output = await run(["-c", "1", "-d", `${seconds}s`, "-s", WALK, "-H", header, url, "--", path]);
  return { ...readFigures(output, 200), position: /^POSITION (.*)$/m.exec(output)?.[1] ?? path };
}

async function run(args: readonly string[]): Promise<string> {
  const command = new Deno.Command("taskset", {
    args: ["-c", String(LOAD_CORE), "wrk", "-t", "1", "--latency", ...args],
  });
  const { stdout, stderr, success } = await command.output();
  if (!success) throw new Error(`wrk failed: ${new TextDecoder().decode(stderr).trim()}`);
  return new TextDecoder().decode(stdout);
}

function scriptPath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function readFigures(output: string, status: number): Measurement {
  const figures = /^FIGURES (.*)$/m.exec(output)?.[1]?.split(" ").map(Number) ?? [];
  const [requests = 0, duration = 0, lost = 0, refused = 0, p99 = 0, loadTime = 0] = figures;
  if (requests === 0 || duration === 0) throw new Error(`wrk measured nothing: ${output.trim()}`);
  // What wrk counts as an error is a status of 400 or more.
  const expected = status < 400 ? 0 : requests;
  if (lost > 0 || refused !== expected) throw new Error(`wrk lost ${lost} answers and had ${refused} of status ≥ 400`);
  return { rate: requests / duration * 1e6, p99: p99 / 1000, loadShare: loadTime / duration * 1e6 };
}
