/**
 * Keeps pets in Deno KV: that of Deno, or on Node and Bun that of the npm package `@deno/kv`. Several servers may share one KV.
 *
 * @example
 * ```ts ignore
 * import { createPetstore } from "@petstore/petstore";
 * import { createKvStore } from "@petstore/edge/kv";
 *
 * const kv = await Deno.openKv(); // or: import { openKv } from "@deno/kv";
 * const store = createKvStore(kv);
 * const { handle } = createPetstore({ store, keys: ["pk_example"] });
 * // … and at the end:
 * await store.close();
 * kv.close();
 * ```
 *
 * @module
 */

import type { PetStore } from "@petstore/petstore/store";
import {
  checkAll,
  type Checks,
  createdId,
  idempotentOutcome,
  pageOf,
  storeClosed,
  wholeNumber,
} from "@petstore/petstore/store/toolkit";
import { Kv, type KvClient, requireKv } from "./client.ts";
import { createGroupCommit } from "./commit.ts";
import { KeySpace } from "./key_space.ts";
import { toText } from "./values.ts";

export type { KvAtomic, KvClient, KvEntry, KvKey } from "./client.ts";

/** Options of {@link createKvStore}. */
export interface KvStoreOptions {
  /**
   * The first parts of all keys of the store: strings of up to 500 bytes in all. Servers with the same pets need the same prefix. Default:
   * `["petstore"]`.
   */
  prefix?: readonly string[];
  /** The time limit of a read or a commit, in milliseconds. Default: 5000. */
  timeoutMs?: number;
}

const CHECKS: Checks<KvStoreOptions, Required<KvStoreOptions>> = {
  // The prefix is not checked here, because `KeySpace` checks it.
  prefix: (prefix = ["petstore"]) => prefix,
  timeoutMs: wholeNumber(5000),
};

/**
 * Keeps pets in a Deno KV.
 *
 * A create resolves when KV has committed it; KV in a file then has it on disk. Creates that arrive together share one
 * commit. Ids ascend in the order of commits, across all servers, without gaps.
 *
 * KV cannot cancel a commit. If one takes longer than `timeoutMs`, its creates reject with {@link
 * StoreUnavailableError}, although the pets may be stored later. Until it has ended, other creates are refused. The
 * clock of the server that creates a pet decides how long its request is remembered.
 *
 * @param kv The result of `Deno.openKv()` (with `--unstable-kv`), or of `openKv()` of `@deno/kv`. Close it after the
 * store, which leaves it open.
 * @throws {TypeError} If `kv` is neither, or an option is invalid.
 * @throws {RangeError} If `timeoutMs` is out of range.
 */
export function createKvStore(kv: KvClient, options: KvStoreOptions = {}): PetStore & AsyncDisposable {
  requireKv(kv);
  const { prefix, timeoutMs } = checkAll(CHECKS, options, "");
  const db = new Kv(kv, timeoutMs), space = new KeySpace(prefix), commits = createGroupCommit(db, space);
  let closing: Promise<void> | undefined;
  const close = () => closing ??= commits.close();
  const requireOpen = () => {
    if (closing) throw storeClosed();
  };
  return {
    create: async (pet) => createdId(await commits.write({ kind: "create", pet })),
    createOnce: async (pet, request) => idempotentOutcome(await commits.write({ kind: "createOnce", pet, request })),
    async get(id) {
      requireOpen();
      const { value } = await db.get(space.pet(id));
      return toText(value);
    },
    async list({ after, limit, status }) {
      requireOpen();
      const { start, end } = space.petsAfter(after, status);
      const rows = await db.range(start, end, limit + 1);
      return pageOf(rows.map(({ key, value }) => ({ id: key.at(-1), json: toText(value) })), limit);
    },
    async check() {
      requireOpen();
      await commits.readCounter();
    },
    async checkWrites() {
      await commits.write({ kind: "probe" });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
