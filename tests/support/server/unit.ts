/** The units of systemd in docs/, and the commands that they run. Deno only. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Child } from "../system/child.ts";
import { ROOT } from "../pages.ts";
import { originOf, STARTED } from "./server_process.ts";

export function readUnit(name: string): string {
  return readFileSync(join(ROOT, "docs", name), "utf8");
}

/**
 * Starts the unit's command with the paths of Deno and of this checkout, on a free port.
 *
 * @param change Changes the words of the command further.
 */
export function startUnit(
  name: string,
  options: { cwd: string; env: Record<string, string> },
  change: (word: string) => string,
): Child {
  const unit = readUnit(name).replace("/usr/local/bin/deno", Deno.execPath())
    .replaceAll(/\/opt\/petstore\/(?=server|lib|packages|deno)/g, ROOT);
  const [, command = ""] = /^ExecStart=([^]*?[^\\])$/m.exec(unit) ?? [];
  const words = command.replaceAll("\\\n", " ").replaceAll(/\b8000\b/g, "0").split(/\s+/);
  const [program = "", ...args] = words.map(change);
  return new Child(program, args, { ...options, clearEnv: true });
}

export async function started(child: Child): Promise<number> {
  await child.printed(STARTED);
  return Number(new URL(originOf(child.written.stdout)).port);
}
