/** The units of systemd in docs/, and the commands that they run. Deno only. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Child } from "../system/child.ts";
import { ROOT } from "./serve_task.ts";
import { originOf, STARTED } from "./server_process.ts";

export const UNITS = ["petstore.service", "petstore-postgres.service"] as const;

export function readUnit(name: (typeof UNITS)[number]): string {
  return readFileSync(join(ROOT, "docs", name), "utf8");
}

/** The words of the unit's command, with the paths of Deno and of this checkout. */
export function unitCommand(name: (typeof UNITS)[number], port: number): [program: string, ...args: string[]] {
  const unit = readUnit(name).replace("/usr/local/bin/deno", Deno.execPath())
    .replaceAll(/\/opt\/petstore\/(?=server|lib|packages|deno)/g, ROOT);
  const [, command = ""] = /^ExecStart=([^]*?[^\\])$/m.exec(unit) ?? [];
  const words = command.replaceAll("\\\n", " ").split(/\s+/).map((word) => word.replace(/\b8000\b/, String(port)));
  return words as [string, ...string[]];
}

export function startUnit(
  name: (typeof UNITS)[number],
  port: number,
  options: { cwd: string; env: Record<string, string> },
  change: (word: string) => string = (word) => word,
): Child {
  const [program, ...args] = unitCommand(name, port);
  return new Child(program, args.map(change), { ...options, clearEnv: true });
}

export async function started(child: Child): Promise<number> {
  await child.printed(STARTED);
  return Number(new URL(originOf(child.written.stdout)).port);
}
