/** Processes that share a KV file. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createKvStore } from "../../../lib/stores/kv/kv_store.ts";
import type { PetStore } from "../../../mod.ts";
import { openTestKv } from "../../support/kv.ts";
import { NODE } from "../../support/server/serve_task.ts";
import { Child } from "../../support/system/child.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const CREATOR = join(ROOT, "tests/faults/kv/creator.ts");

/** How a runtime runs a program; development packages are pinned in deno.json. */
export const RUNTIMES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  Deno: [Deno.execPath(), "run", "--allow-all", "--no-check"],
  Node: [NODE, "--disable-warning=ExperimentalWarning"],
};

export interface CreatorOptions {
  runtime: string;
  path: string;
  name: string;
  /** How often it adds pets. */
  rounds: number;
  /** How many pets it adds at once. */
  crowd: number;
  /** Whether each create has a key. */
  keys?: boolean;
  onLine?(line: string): void;
}

/** A process that adds pets, once it is ready. */
export async function startCreator(options: CreatorOptions): Promise<Child> {
  const { runtime, path, name, rounds, crowd, keys, onLine = () => {} } = options;
  const [program, ...args] = RUNTIMES[runtime]!;
  const creator = [CREATOR, path, name, String(rounds), String(crowd), keys ? "keys" : ""];
  const child = new Child(program, [...args, ...creator], { cwd: ROOT, onLine });
  await child.printed(/^ready$/m);
  return child;
}

/** Opens a store on a file for the time of `use`. */
export async function withFile<T>(path: string, use: (store: PetStore) => Promise<T>): Promise<T> {
  const kv = await openTestKv(path);
  const store = createKvStore(kv);
  try {
    return await use(store);
  } finally {
    await store.close();
    kv.close();
  }
}

export interface StoredPet {
  id: number;
  name: string;
  categoryId: number;
}

/** The pets after an id, on one page. */
export async function pageAfter(store: PetStore, after: number, status?: "sold"): Promise<StoredPet[]> {
  return JSON.parse((await store.list({ after: BigInt(after), limit: 100, status })).json);
}

/** All pets, as the list shows them, or the list of their status. */
export async function allPets(store: PetStore, status?: "sold"): Promise<StoredPet[]> {
  const pets: StoredPet[] = [];
  for (let page = await pageAfter(store, 0, status); page.length > 0;) {
    pets.push(...page);
    page = await pageAfter(store, pets.at(-1)!.id, status);
  }
  return pets;
}
