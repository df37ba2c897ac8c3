/** `deno task bench [--against REF]`: two commits, or else the service. */

const isComparison = Deno.args.some((arg) => arg === "--against" || arg.startsWith("--against="));
if (isComparison) await import("./against/main.ts");
else await import("./service.ts");
