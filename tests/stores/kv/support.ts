/** A KV that fails as a test wants it to. */

import type { KvAtomic, KvClient, KvKey } from "../../../lib/stores/kv/kv_store.ts";
import type { PetDraft } from "../../../mod.ts";

export const REX: PetDraft = { name: "Rex", categoryId: 7n, status: "available" };

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

/** Writes JSON as a store does. */
export async function put(kv: KvClient, key: KvKey, value: unknown): Promise<void> {
  const atomic = kv.atomic();
  atomic.set(key, new TextEncoder().encode(JSON.stringify(value)));
  await atomic.commit();
}

/** All keys of a KV, as text. */
export async function keysOf(kv: KvClient): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of kv.list({ start: [""], end: [2n ** 64n] })) keys.push(key.join("/"));
  return keys;
}

/** A request with this key. */
export function request(key: string, retentionMs = 60_000) {
  return { key: key.padEnd(22, "k"), fingerprint: "f".repeat(22), retentionMs };
}
