/**
 * Compares a petstore on D1 and one in a Durable Object with one in memory, all in one Worker: `deno run -A measure_d1.ts`. The
 * stores take turns, so that they share what else the machine does. workerd's D1 is in the same process: the network to Cloudflare's
 * is missing.
 */

import { withTempFolder } from "../support/temp.ts";
import { bundle, stopBundler } from "./support/bundle.ts";
import { APP_KEY, APP_KEYS } from "./support/mounts.ts";
import { Workers } from "./support/workerd.ts";

const STORES = ["memory", "object", "d1"];
const ROUNDS = 7, REQUESTS = 200, CLIENTS = 8;

const headers = { authorization: `Bearer ${APP_KEY}`, "content-type": "application/json" };
const pet = { method: "POST", headers, body: '{"name":"Luna","categoryId":9007199254740993}' };

const OPERATIONS: Record<string, () => [path: string, init: RequestInit & { headers: Record<string, string> }]> = {
  "create": () => ["/v1/pets", pet],
  "create with Idempotency-Key": () => ["/v1/pets", {
    ...pet,
    headers: { ...headers, "idempotency-key": crypto.randomUUID() },
  }],
  "get": () => ["/v1/pets/7", { headers }],
  "list 20": () => ["/v1/pets", { headers }],
};

/** Milliseconds for a request, with so many under way at a time. */
async function measure(origin: string, store: string, operation: string): Promise<number> {
  let left = REQUESTS;
  const client = async () => {
    while (left-- > 0) {
      const [path, init] = OPERATIONS[operation]!();
      const response = await fetch(origin + path, { ...init, headers: { ...init.headers, "x-store": store } });
      if (!response.ok) throw new Error(`${operation} on ${store}: ${await response.text()}`);
      await response.body?.cancel();
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (performance.now() - began) / REQUESTS;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

await withTempFolder(async (folder) => {
  const scripts = [await bundle("support/measured_worker.ts", { petstore: "../../mod.ts" })];
  await stopBundler();
  await using workers = new Workers({ scripts, folder, bindings: { PETSTORE_KEYS: APP_KEYS } });
  const [origin] = await workers.origins();
  for (const operation of Object.keys(OPERATIONS)) {
    const times = new Map(STORES.map((store): [string, number[]] => [store, []]));
    for (let round = 0; round <= ROUNDS; round++) {
      for (const store of STORES) {
        const time = await measure(origin!, store, operation);
        // The first round warms up.
        if (round > 0) times.get(store)!.push(time);
      }
    }
    const memory = median(times.get("memory")!);
    const shown = STORES.map((store) => `${store} ${(median(times.get(store)!) / memory).toFixed(1)}`);
    console.log(`${operation.padEnd(28)} ${memory.toFixed(2)} ms in memory; times that: ${shown.join(", ")}`);
  }
});
