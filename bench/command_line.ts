/** The command line of the benchmarks, and their end. */

import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

export interface Finding {
  kind: string;
  detail: string;
}

export class UsageError extends Error {}

export function parseFlags<T extends ParseArgsOptionsConfig>(args: readonly string[], help: string, options: T) {
  // The first word names the benchmark, as in `deno task bench latency`, which passes its `--` on.
  const given = args.filter((arg, index) => arg !== "--" && (index > 0 || arg.startsWith("-")));
  if (given.includes("--help")) {
    console.log(help.trimEnd());
    Deno.exit(0);
  }
  try {
    return parseArgs({ args: given, options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

export function readCount(flag: string, given: string | undefined, fallback: number): number {
  const count = given === undefined ? fallback : Number(given);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new UsageError(`--${flag} must be a whole number from 1, not ${JSON.stringify(given)}`);
}

/** Runs a benchmark in a temporary folder. Exits with 0 if all is well, 1 after findings, 2 after a wrong command line. */
export async function runTool(name: string, run: (folder: string) => Promise<readonly Finding[]>): Promise<never> {
  const folder = Deno.makeTempDirSync({ prefix: `petstore-${name}-` });
  // This listens to an event, because `--help` exits without returning.
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => Deno.exit(130));
  try {
    const findings = await run(folder);
    for (const { kind, detail } of findings) console.log(`${kind}: ${detail}`);
    return Deno.exit(findings.length === 0 ? 0 : 1);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    console.error(isUsage ? `${name}: ${error.message}; see --help` : error);
    return Deno.exit(isUsage ? 2 : 1);
  }
}
