/** `deno task bench [client|latency|start|stores|kv|postgres|--against REF]`: runs the benchmark of that name, or else that of the service. */

const BENCHMARKS: Record<string, () => Promise<unknown>> = {
  client: () => import("./client.ts"),
  stores: () => import("./stores.ts"),
  latency: () => import("./latency.ts"),
  start: () => import("./start.ts"),
  kv: () => import("./kv.ts"),
  postgres: () => import("./postgres/main.ts"),
};

const isComparison = Deno.args.some((arg) => arg === "--against" || arg.startsWith("--against="));
const service = () => isComparison ? import("./against/main.ts") : import("./service.ts");
await (BENCHMARKS[Deno.args[0] ?? ""] ?? service)();
