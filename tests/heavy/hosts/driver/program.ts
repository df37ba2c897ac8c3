/** Starts the programs, each in a process of its own on its own runtime. */

import { join } from "node:path";
import { Child } from "../../../support/system/child.ts";
import { BUN } from "../../../support/runtimes.ts";
import { NODE } from "../../../support/server/serve_task.ts";
import { hasCommand } from "../../../support/system/commands.ts";

/** The command that runs a file. */
export interface Runtime {
  name: string;
  command: string;
  args: string[];
}

/** A file of programs/, and what runs it. */
export interface RunningFile {
  runtime: Runtime;
  file: string;
}

export interface Program extends AsyncDisposable {
  /** The origin at which it serves, such as `http://127.0.0.1:8000`. */
  origin: string;
  written: Child["written"];
}

const FOLDER = join(import.meta.dirname ?? "", "..");
/** Leads the names of the packages to this checkout. */
const NAMES = "./driver/resolve.mjs";

export const DENO: Runtime = { name: "Deno", command: Deno.execPath(), args: ["run", "-A"] };
export const BUN_RUNTIME: Runtime = { name: "Bun", command: BUN, args: [] };
export const NODE_24: Runtime = {
  name: "Node 24",
  command: NODE,
  args: ["--disable-warning=ExperimentalWarning", "--import", NAMES],
};

/** The reason to skip a runtime's tests, or `false`. */
export function whyNot({ name, command }: Runtime): string | false {
  return hasCommand(command) ? false : `no package of ${name} is installed for this machine`;
}

const LISTENS = /\b(?:http:\/\/[^\s/]+:|port: )(\d+)(?=\D)/;

export async function startProgram({ runtime, file }: RunningFile): Promise<Program> {
  const child = new Child(runtime.command, [...runtime.args, `programs/${file}`], {
    cwd: FOLDER,
    env: { PORT: "0", NO_COLOR: "1" },
  });
  const stop = () => child[Symbol.asyncDispose]();
  try {
    const [, port] = await Promise.any([child.printed(LISTENS), child.printed(LISTENS, "stderr")]);
    return { origin: `http://127.0.0.1:${port}`, written: child.written, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
