/**
 * Commands and servers of the program in this process, without a process of their own. With
 * `SERVER_RUNTIME=node`, they have one, because the tests themselves run on Deno. At the end, a
 * server that has no socket either: a test asks its gate.
 */

import process from "node:process";
import { DENO_RUNTIME } from "../../../lib/server/deno/runtime.ts";
import { readFlags } from "../../../lib/server/commands/command_line.ts";
import { run } from "../../../lib/server/commands/run.ts";
import type { Context, Gate, Listener, Runtime } from "../../../lib/server/process/runtime.ts";
import type { DrainGate } from "../../../lib/server/serving/drain_gate.ts";
import { serve } from "../../../lib/server/serving/serve.ts";
import { prepareEnvironment } from "../../../lib/server/settings/environment.ts";
import { readValues } from "../../../lib/server/settings/options.ts";
import { SETTINGS, type Settings } from "../../../lib/server/settings/server_settings.ts";
import type { KeyedPetStore } from "../../../lib/stores/store.ts";
import { withTempFolder } from "../temp.ts";
import { testUnless, testWith } from "../test_with.ts";
import { until } from "../until.ts";
import { ON_NODE } from "./serve_task.ts";
import {
  originOf,
  request,
  runCommand,
  type ServerExit,
  type ServerParts,
  type ServerProcess,
  STARTED,
  withPort,
  withServer,
} from "./server_process.ts";

/** Works in a new folder. Such tests must not run at the same time. */
export function inFolder<T>(use: (folder: string) => T | Promise<T>): Promise<T> {
  const before = process.cwd();
  return withTempFolder(async (folder) => {
    process.chdir(folder);
    try {
      return await use(folder);
    } finally {
      process.chdir(before);
    }
  });
}

/** `test`, and tests that work in a new folder, or get one. */
export const test = Object.assign(testUnless(false), {
  inFolder: testWith(inFolder),
  withFolder: testWith(withTempFolder),
});

type Written = Pick<ServerExit, "stdout" | "stderr">;

function runtimeOf(written: Written, env: Record<string, string>, ending: Promise<void>): Runtime {
  const sinkTo = (name: keyof Written) => ({
    write(bytes: Uint8Array) {
      written[name] += new TextDecoder().decode(bytes);
      return Promise.resolve(bytes.length);
    },
  });
  // No client of these tests sends while its server ends. Those of a drain have a process, or none of this.
  return {
    ...DENO_RUNTIME,
    environment: (name) => env[name],
    listVariables: () => Object.keys(env),
    sinks: { output: sinkTo("stdout"), errorOutput: sinkTo("stderr") },
    waitForSignal: () => ending,
    holdTimeMs: 0,
  };
}

/** Runs a command, or a start that fails. A start that succeeds ends at once. */
export async function runHere(args: readonly string[], env: Record<string, string> = {}): Promise<ServerExit> {
  if (ON_NODE) return await runCommand(process.cwd(), args, env);
  const written = { stdout: "", stderr: "" };
  const status = await run(args, runtimeOf(written, env, Promise.resolve()));
  return { status, ...written };
}

/** A server, wherever it runs. */
export type AnyServer = Pick<ServerProcess, "ask" | "origin" | "port" | "stop" | "written">;

/** Starts a server in the present folder, and ends it after `use`. */
export async function withServerHere<T>(parts: ServerParts, use: (server: AnyServer) => T | Promise<T>): Promise<T> {
  if (ON_NODE) {
    return await withServer(process.cwd(), parts, async (server) => {
      const result = await use(server);
      await server.stop();
      return result;
    });
  }
  const { args = [], env = {} } = withPort(parts);
  const written = { stdout: "", stderr: "" };
  const ending = Promise.withResolvers<void>();
  let hasEnded = false;
  const exit = run(args, runtimeOf(written, env, ending.promise)).finally(() => hasEnded = true);
  const stop = () => {
    ending.resolve();
    return exit;
  };
  try {
    await until("the start", () => hasEnded || STARTED.test(written.stdout));
    if (hasEnded) throw new Error(`It did not start: ${written.stderr}`);
    const origin = originOf(written.stdout);
    const ask: AnyServer["ask"] = (path, key, init = {}) => request(origin + path, key, init);
    return await use({ written, origin, port: Number(new URL(origin).port), ask, stop });
  } finally {
    await stop();
  }
}

export function withFreshServerHere<T>(
  parts: ServerParts,
  use: (server: AnyServer, folder: string) => T | Promise<T>,
): Promise<T> {
  return inFolder((folder) => withServerHere(parts, (server) => use(server, folder)));
}

export function readSettings(args: readonly string[], env: Record<string, string> = {}): Settings {
  const { flags } = readFlags(args, SETTINGS, "");
  return readValues(SETTINGS, flags, prepareEnvironment((name) => env[name]));
}

/** A server without a socket. */
interface GateServer {
  gate: DrainGate;
  /** Answers scrapes, if the arguments ask for metrics. */
  metricsGate: Gate;
  /** Resolves when the store is closed. */
  end(): Promise<void>;
}

/**
 * Starts a server on a store.
 *
 * @param stop Takes the place of the listener's method.
 * @param written Gets what the server writes. The first line of standard output is the greeting.
 */
export async function startWithoutSocket(
  args: readonly string[],
  store: KeyedPetStore,
  { stop = () => Promise.resolve(), written = { stdout: "", stderr: "" }, holdTimeMs = 0 }: {
    stop?: Listener["stop"];
    written?: Written;
    holdTimeMs?: number;
  } = {},
): Promise<GateServer> {
  const ending = Promise.withResolvers<void>();
  const greeted = Promise.withResolvers<void>();
  const gates: Record<string, Gate> = {};
  // They set no timers, which a test with a virtual clock would meet.
  const writerTo = (name: keyof Written) => ({
    add(line: string) {
      written[name] += `${line}\n`;
      if (name === "stdout") greeted.resolve();
    },
    flush: () => Promise.resolve(),
    failure: undefined,
  });
  const output = writerTo("stdout");
  const errorOutput = writerTo("stderr");
  const context: Context = {
    ...runtimeOf(written, {}, ending.promise),
    output,
    errorOutput,
    report: (line) => errorOutput.add(`petstore: ${line}`),
    holdTimeMs,
    listen({ flag }, gate) {
      gates[flag] = gate;
      return { port: 1, stop: flag === "--port" ? stop : () => Promise.resolve() };
    },
  };
  const find = () => Promise.resolve({ description: "the store", open: () => store });
  const served = serve(readSettings(args), context, find);
  await Promise.race([greeted.promise, served]);
  const end = () => {
    ending.resolve();
    return served;
  };
  // The server gives its whole gate.
  return { gate: gates["--port"] as DrainGate, metricsGate: gates["--metrics"]!, end };
}
