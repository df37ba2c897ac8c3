/** `deno task bench [latency|--against REF]`: the latency of many users, two commits, or else the service. */

const isComparison = Deno.args.some((arg) => arg === "--against" || arg.startsWith("--against="));
if (Deno.args[0] === "latency") await import("./latency.ts");
else if (isComparison) await import("./against/main.ts");
else await import("./service.ts");
