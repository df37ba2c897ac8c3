/**
 * A server of a shared KV file, as a process: adds pets until it is killed, or until their number is reached. Runs on Deno and Node.
 * Prints "ready", then a line for each round of pets that were acknowledged: their ids, or the numbers of requests.
 */

import process from "node:process";
import { createKvStore } from "../../../lib/stores/kv/kv_store.ts";
import { openTestKv } from "../../support/kv.ts";

const [path = "", name = "", rounds = "", crowd = "", keys = ""] = process.argv.slice(2);

const kv = await openTestKv(path);
const store = createKvStore(kv);
process.stdout.write("ready\n");

async function add(number: number): Promise<string> {
  const pet = { name: `${name} ${number}`, categoryId: BigInt(number), status: "sold" } as const;
  if (keys === "") return String(await store.create(pet));
  const key = `${name}-${number}`.padEnd(22, "k");
  const outcome = await store.createOnce!(pet, { key, fingerprint: key, retentionMs: 600_000 });
  return `${number}=${"id" in outcome ? outcome.id : outcome.outcome}`;
}

for (let round = 0; round < Number(rounds); round++) {
  const numbers = Array.from({ length: Number(crowd) }, (_, i) => round * Number(crowd) + i);
  process.stdout.write((await Promise.all(numbers.map(add))).join(" ") + "\n");
}
await store.close();
kv.close();
