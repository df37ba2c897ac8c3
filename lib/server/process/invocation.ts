/** Commands as the user would type them here, for hints. */

import { existsSync } from "node:fs";
import { relative } from "node:path";
import process from "node:process";
import { ON_DENO } from "../../http/platform.ts";
import { mayAccess } from "../../stores/sqlite/permissions.ts";

/**
 * A command of this program, such as `keys list`, in the form in which the user has started it:
 * `deno task petstore keys list` in the folder of a checkout,
 * `node lib/server/node/main.ts keys list` there on Node, and `npx @petstore/petstore keys list`
 * where npm has installed the package. Anywhere else, such as in a container, the program is called
 * `petstore`.
 */
export function commandLine(command: string): string {
  return `${programName()} ${command}`;
}

function programName(): string {
  const [, main = ""] = process.argv;
  if (/[\\/]node_modules[\\/]/.test(main)) return "npx @petstore/petstore";
  if (!ON_DENO) return main.endsWith("main.ts") ? `node ${relative(process.cwd(), main)}` : "petstore";
  const isCheckout = ["deno.json", "server.ts"].every((path) => mayAccess("read", path) && existsSync(path));
  return isCheckout ? "deno task petstore" : "petstore";
}
