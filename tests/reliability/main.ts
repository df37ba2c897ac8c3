/** `deno task reliability crash|drain|fuzz|soak|timing`: runs the tool of that name. */

const TOOLS: Record<string, () => Promise<unknown>> = {
  crash: () => import("./crash/main.ts"),
  drain: () => import("./drain/main.ts"),
  fuzz: () => import("./fuzz/main.ts"),
  soak: () => import("./soak/main.ts"),
  timing: () => import("./timing/main.ts"),
};

const tool = TOOLS[Deno.args[0] ?? ""];
if (tool === undefined) {
  console.error(`deno task reliability ${Object.keys(TOOLS).join("|")} [options]`);
  Deno.exit(2);
}
await tool();
