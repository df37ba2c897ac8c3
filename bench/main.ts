/** `deno task bench [latency|--against REF]`: runs the benchmark of that name, or else that of the service. */

const BENCHMARKS: Record<string, () => Promise<unknown>> = {
  latency: () => import("./latency.ts"),
};

const isComparison = Deno.args.some((arg) => arg === "--against" || arg.startsWith("--against="));
const service = () => isComparison ? import("./against/main.ts") : import("./service.ts");
await (BENCHMARKS[Deno.args[0] ?? ""] ?? service)();
