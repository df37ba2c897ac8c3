/**
 * Commands and servers of the program in this process, without a process of their own. With
 * `SERVER_RUNTIME=node`, they have one, because the tests themselves run on Deno.
 */

import process from "node:process";
import { DENO_RUNTIME } from "../../../lib/server/deno/runtime.ts";
import type { Runtime } from "../../../lib/server/process/runtime.ts";
import { run } from "../../../lib/server/commands/run.ts";
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

/** The outputs of a command, which are added to `written`. */
export function sinksTo(written: Written) {
  const sinkTo = (name: keyof Written) => ({
    write(bytes: Uint8Array) {
      written[name] += new TextDecoder().decode(bytes);
      return Promise.resolve(bytes.length);
    },
  });
  return { output: sinkTo("stdout"), errorOutput: sinkTo("stderr") };
}

function runtimeOf(written: Written, env: Record<string, string>, ending: Promise<void>): Runtime {
  // No client of these tests sends while its server ends. Those of a drain have a process, or none of this.
  return {
    ...DENO_RUNTIME,
    environment: (name) => env[name],
    listVariables: () => Object.keys(env),
    sinks: sinksTo(written),
    waitForSignal: () => ending,
    holdTimeMs: 0,
  };
}

/**
 * Runs a command, or a start that fails. A start that succeeds ends at once.
 *
 * @param parts Of the runtime, in place of the usual ones. A process on Node does not have them.
 */
export async function runHere(
  args: readonly string[],
  env: Record<string, string> = {},
  parts: Partial<Runtime> = {},
): Promise<ServerExit> {
  if (ON_NODE) return await runCommand(process.cwd(), args, env);
  const written = { stdout: "", stderr: "" };
  const status = await run(args, { ...runtimeOf(written, env, Promise.resolve()), ...parts });
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
