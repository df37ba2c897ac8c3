/** `deno task bench [stores|kv|postgres]`: runs the benchmark of that name, or else that of the service. */

const BENCHMARKS: Record<string, () => Promise<unknown>> = {
  stores: () => import("./stores.ts"),
  kv: () => import("./kv.ts"),
  postgres: () => import("./postgres/main.ts"),
};

await (BENCHMARKS[Deno.args[0] ?? ""] ?? (() => import("./service.ts")))();
