import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { killAll } from "../tests/support/system/child.ts";

export interface Finding<Kind extends string = string> {
  kind: Kind;
  detail: string;
}

const SHOWN = 20;

export class UsageError extends Error {}

export function parseFlags<T extends ParseArgsOptionsConfig>(args: readonly string[], help: string, options: T) {
  // The first word names the tool, as in `deno task reliability fuzz`, which passes its `--` on.
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

export function readCount(
  flag: string,
  given: string | undefined,
  fallback: number,
  least = 1,
  most = 2 ** 32,
): number {
  const count = given === undefined ? fallback : Number(given);
  if (given !== "" && Number.isInteger(count) && count >= least && count < most) return count;
  throw new UsageError(`--${flag} must be a whole number from ${least} to ${most - 1}, not ${JSON.stringify(given)}`);
}

/** Runs a tool in a temporary folder. Exits with 0 if all is well, 1 after findings, 2 after a wrong command line. */
export async function runTool(name: string, run: (folder: string) => Promise<readonly Finding[]>): Promise<never> {
  const folder = Deno.makeTempDirSync({ prefix: `petstore-${name}-` });
  // This listens to an event, because `--help` exits without returning.
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  const end = (status: number): never => {
    killAll();
    Deno.exit(status);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => end(130));
  try {
    const findings = await run(folder);
    for (const { kind, detail } of findings.slice(0, SHOWN)) console.log(`${kind}: ${detail}`);
    if (findings.length > SHOWN) console.log(`and ${findings.length - SHOWN} more`);
    return end(findings.length === 0 ? 0 : 1);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    console.error(isUsage ? `${name}: ${error.message}; see --help` : error);
    return end(isUsage ? 2 : 1);
  }
}

export function formatTable(values: Record<string, string | number>): string {
  const lines = Object.entries(values);
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join("\n");
}
