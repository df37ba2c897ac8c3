/** A server on a file of Deno KV that other servers use too. A request over HTTP lets it create pets for some seconds. */

import { createKvStore } from "../../lib/stores/kv/kv_store.ts";
import { listen, readSettings } from "./host.ts";

export interface KvCreatesSettings {
  path: string;
  /** How many creates are under way at once. */
  clients: number;
}

export interface KvCreates {
  /** Creates a second. */
  rate: number;
  /** How long a create took at most, in milliseconds. */
  longest: number;
}

const { path, clients } = readSettings<KvCreatesSettings>();
const store = createKvStore(await Deno.openKv(path), { timeoutMs: 60_000 });

await listen(async ({ url }) => {
  const duration = Number(new URL(url).searchParams.get("seconds")) * 1000;
  return Response.json(await measure(duration));
});

async function measure(duration: number): Promise<KvCreates> {
  const begin = performance.now();
  let count = 0, longest = 0;
  const client = async () => {
    for (let before = begin; before - begin < duration;) {
      await store.create({ name: "Luna", categoryId: 9007199254740993n, status: "available" });
      const now = performance.now();
      longest = Math.max(longest, now - before);
      before = now;
      count++;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { rate: count / (performance.now() - begin) * 1000, longest };
}
