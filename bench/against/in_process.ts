/**
 * Calls `handle()` of a tree in a loop, without a socket. The arguments are the folder of the tree, the kind of request and the seconds. It
 * prints a sample as JSON.
 */

import process from "node:process";
import { MOST_PETS, NEW_PET } from "../catalogue.ts";
import type { Sample } from "./compare.ts";

const [root = "", kind = "", seconds = "0"] = Deno.args;
const { createMemoryStore, createPetstore } = await import(`${root}/mod.ts`) as typeof import("../../mod.ts");

/** How many requests are under way at a time, as of so many connections. */
const CONCURRENT = 64;

const headers = { authorization: "Bearer k", "content-type": "application/json" };
const PATHS: Record<string, () => string> = {
  get: () => "/42",
  random: () => `/${1 + Math.floor(Math.random() * MOST_PETS)}`,
  list: () => "",
  filtered: () => "?status=sold",
  create: () => "",
};
const init = kind === "create" ? { method: "POST", headers, body: NEW_PET } : { headers };
const path = PATHS[kind]!;

const store = createMemoryStore();
for (let i = 0; i < MOST_PETS; i++) {
  await store.create({ name: `pet ${i}`, categoryId: 7n, status: i % 2 ? "sold" : "available" });
}
const { handle } = createPetstore({ store, keys: ["k"] });

async function measure(milliseconds: number): Promise<Sample> {
  const before = process.cpuUsage(), start = performance.now();
  let requests = 0;
  while (performance.now() - start < milliseconds) {
    const asked = Array.from(
      { length: CONCURRENT },
      () => handle(new Request(`http://localhost/v1/pets${path()}`, init)),
    );
    const [{ status }] = await Promise.all(asked) as [Response, ...Response[]];
    if (status >= 300) throw new Error(`A ${kind} got ${status}`);
    requests += CONCURRENT;
  }
  const { user, system } = process.cpuUsage(before);
  return { rate: 1000 * requests / (performance.now() - start), processor: (user + system) / requests };
}

// The engine compiles what it runs before it is measured.
await measure(600);
console.log(JSON.stringify(await measure(1000 * Number(seconds))));
