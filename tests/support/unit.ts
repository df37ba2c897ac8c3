/** The units of systemd in docs/, and the commands that they run. Deno only. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The units. */
export const UNITS = ["petstore.service", "petstore-postgres.service"] as const;

/** A unit as it is. */
export function readUnit(name: (typeof UNITS)[number]): string {
  return readFileSync(join(ROOT, "docs", name), "utf8");
}

/** The unit with the places of Deno and of the petstore that are right here. */
export function unitHere(name: (typeof UNITS)[number]): string {
  return readUnit(name).replace("/usr/local/bin/deno", Deno.execPath()).replace(
    "/opt/petstore/server",
    `${ROOT}server`,
  );
}

/** The words of its command, with another port than its own for clients. */
export function unitCommand(name: (typeof UNITS)[number], port: number): [program: string, ...args: string[]] {
  const [, command = ""] = /^ExecStart=([^]*?[^\\])$/m.exec(unitHere(name)) ?? [];
  const words = command.replaceAll("\\\n", " ").split(/\s+/).map((word) => word.replace(/\b8000\b/, String(port)));
  return words as [string, ...string[]];
}

/** Starts its command, with an environment of its own. */
export function startUnit(
  name: (typeof UNITS)[number],
  port: number,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Deno.ChildProcess {
  const [program, ...args] = unitCommand(name, port);
  const options = { args, cwd, clearEnv: true, env, stdin: "null", stdout: "piped", stderr: "piped" } as const;
  return new Deno.Command(program, options).spawn();
}

/** Waits for the last line of a start that goes well; answers all that was printed, and the port. */
export async function started({ stdout }: Deno.ChildProcess): Promise<number> {
  let printed = "";
  for await (const text of stdout.pipeThrough(new TextDecoderStream()).values({ preventCancel: true })) {
    if (/^ {2}try .*\n/m.test(printed += text)) return Number(/ listens on http:.*:(\d+)\/v1$/m.exec(printed)?.[1]);
  }
  throw new Error(`It ended without having started: ${printed}`);
}

/** Ends it at once, if it has not ended. */
export async function end(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended already, as it should.
  }
  await child.status;
}
