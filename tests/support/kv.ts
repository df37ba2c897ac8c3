/** Deno KV for tests: Deno's own, and that of `@deno/kv` on Node and Bun. */

import { openKv } from "@deno/kv";
import { join } from "node:path";
import type { KvClient } from "../../lib/stores/kv/kv_store.ts";
import { withTempFolder } from "./temp.ts";

/** A KV of either kind. That both types are accepted is what the type checker shows here. */
export type TestKv = KvClient & { close(): void };

/** `@deno/kv` cannot use Bun's serialization, and the store needs none. */
const BUN = { encodeV8: refuse, decodeV8: refuse };

/** @param path Of a file, or `:memory:`. */
export async function openTestKv(path: string): Promise<TestKv> {
  if ("Deno" in globalThis) return await Deno.openKv(path);
  return await openKv(path === ":memory:" ? undefined : path, "Bun" in globalThis ? BUN : {});
}

/** Provides a KV in a file of its own. */
export function withTestKv<T>(use: (kv: TestKv, path: string) => Promise<T>): Promise<T> {
  return withTempFolder(async (folder) => {
    const path = join(folder, "kv");
    const kv = await openTestKv(path);
    try {
      return await use(kv, path);
    } finally {
      kv.close();
    }
  });
}

function refuse(): never {
  throw new Error("A value was serialized");
}
