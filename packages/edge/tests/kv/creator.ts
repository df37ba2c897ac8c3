/**
 * A server of a shared KV file, as a process: adds pets, seven at once, until it is killed or their number is reached. Runs on Deno
 * and Node. Prints "ready", then `number=id` for each pet that was acknowledged.
 */

import process from "node:process";
import { createKvStore } from "../../lib/kv/kv_store.ts";
import { openTestKv, request } from "../kv_support/kv.ts";

const [path = "", name = "", count = ""] = process.argv.slice(2);

const kv = await openTestKv(path);
const store = createKvStore(kv);
process.stdout.write("ready\n");

let next = 0;

async function add(): Promise<void> {
  while (next < Number(count)) {
    const number = next++;
    const pet = { name: `${name} ${number}`, categoryId: 7n, status: "sold" } as const;
    const outcome = await store.createOnce!(pet, request(pet.name));
    process.stdout.write(`${number}=${"id" in outcome ? outcome.id : outcome.outcome}\n`);
  }
}

await Promise.all(Array.from({ length: 7 }, add));
await store.close();
kv.close();
