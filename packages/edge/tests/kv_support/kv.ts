/** Deno KV for tests: Deno's own, that of `@deno/kv` on Node and Bun, and one that fails as a test wants it to. */

import { openKv } from "@deno/kv";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKvStore, type KvAtomic, type KvClient, type KvKey } from "../../lib/kv/kv_store.ts";
import type { PetDraft, PetStore } from "@petstore/petstore/store";
import { request } from "../../../conformance/lib/store/case.ts";
import { testWith } from "../../../../tests/support/test_with.ts";
import type { StoreKind } from "../../../../tests/support/stores.ts";
import { withTempFolder } from "../../../../tests/support/temp.ts";

export { request };

export const REX: PetDraft = { name: "Rex", categoryId: 7n, status: "available" };

/** A KV of either kind. That both types are accepted is what the type checker shows here. */
export type TestKv = KvClient & { close(): void };

/** `@deno/kv` cannot use Bun's serialization, and the store needs none. */
const BUN = { encodeV8: refuse, decodeV8: refuse };

/** @param path Of a file, or `:memory:`. */
export async function openTestKv(path: string): Promise<TestKv> {
  if ("Deno" in globalThis) return await Deno.openKv(path);
  return await openKv(path === ":memory:" ? undefined : path, "Bun" in globalThis ? BUN : {});
}

function refuse(): never {
  throw new Error("A value was serialized");
}

/** Provides a KV in a file of its own. */
export function withTestKv<T>(use: (kv: TestKv) => Promise<T>): Promise<T> {
  return withTempFolder(async (folder) => {
    const kv = await openTestKv(join(folder, "kv"));
    try {
      return await use(kv);
    } finally {
      kv.close();
    }
  });
}

/** Tests that get a KV. */
export const test = testWith(withTestKv);

/** In a file, where each store opens its own KV, as each server does, and in memory. */
export const KV_KINDS: readonly StoreKind[] = [fileKind(), {
  name: "Deno KV in memory",
  open: async () => createKvStore(await openTestKv(":memory:")),
  sharing: "none",
  lacks: ["changes", "keys"],
  isVariant: true,
}];

function fileKind(): StoreKind {
  const namespaces = new Map<string, { folder: string; opened: Set<TestKv> }>();
  const crash = (namespace: string) => {
    const { opened } = namespaces.get(namespace)!;
    for (const kv of opened) kv.close();
    opened.clear();
  };
  return {
    name: "Deno KV",
    sharing: "machine",
    lacks: ["changes", "keys"],
    async open(namespace) {
      const { folder, opened } = namespaces.get(namespace) ??
        { folder: mkdtempSync(join(tmpdir(), "petstore-")), opened: new Set<TestKv>() };
      namespaces.set(namespace, { folder, opened });
      const kv = await openTestKv(join(folder, "kv"));
      opened.add(kv);
      return createKvStore(kv);
    },
    // Ends the calls that are in flight.
    crash,
    remove(namespace) {
      if (!namespaces.has(namespace)) return;
      crash(namespace);
      rmSync(namespaces.get(namespace)!.folder, { recursive: true });
      namespaces.delete(namespace);
    },
  };
}

type Outcome = Awaited<ReturnType<KvAtomic["commit"]>>;

/** How a commit goes: calls `commit` or not, and resolves or rejects as it likes. */
export type CommitHook = (commit: () => Promise<Outcome>) => Promise<Outcome>;

/** Passes all calls on to `kv`, but commits through the hook. */
export function withCommits(kv: KvClient, hook: CommitHook): KvClient {
  return {
    get: (...args) => kv.get(...args),
    getMany: (...args) => kv.getMany(...args),
    list: (...args) => kv.list(...args),
    atomic() {
      const atomic = kv.atomic();
      const own: KvAtomic = {
        check: (check) => void atomic.check(check),
        set: (key, value) => void atomic.set(key, value),
        delete: (key) => void atomic.delete(key),
        commit: () => hook(() => atomic.commit()),
      };
      return own;
    },
  };
}

/** Writes a text, or deletes what is there. */
export async function write(kv: KvClient, key: KvKey, text: string | undefined): Promise<void> {
  const atomic = kv.atomic();
  if (text === undefined) atomic.delete(key);
  else atomic.set(key, new TextEncoder().encode(text));
  await atomic.commit();
}

/** All keys of a KV, as text. */
export async function keysOf(kv: KvClient): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of kv.list({ start: [""], end: [2n ** 64n] })) keys.push(key.join("/"));
  return keys;
}

export interface StoredPet {
  id: number;
  name: string;
}

/** The pets after an id, as the list shows them, or the list of their status. */
export async function petsAfter(store: PetStore, after = 0, status?: "sold"): Promise<StoredPet[]> {
  const pets: StoredPet[] = [];
  for (let next: bigint | undefined = BigInt(after); next !== undefined;) {
    const page: { json: string; next?: bigint } = await store.list({ after: next, limit: 100, status });
    pets.push(...JSON.parse(page.json));
    next = page.next;
  }
  return pets;
}
