import { StoreUnavailableError } from "@petstore/petstore/store";
import type { KeyStore, StoredKey } from "@petstore/petstore/store";
import { KeyTable } from "@petstore/petstore/store/toolkit";
import { type Kv, type KvChange, type KvKey, limitRetries } from "./client.ts";
import type { KeySpace } from "./key_space.ts";
import { counterAt, counterState, fromJson, toBytes } from "./values.ts";

/** A key as it is stored in JSON. The author identifies the call that added it. */
type KvStoredKey = StoredKey & { author?: string };

interface KeyEntry {
  key: KvKey;
  stored: KvStoredKey;
}

export function createKvKeys(kv: Kv, space: KeySpace): KeyStore {
  async function read(): Promise<KeyEntry[]> {
    const rows = await kv.range(space.key(0n), space.key(2n ** 64n));
    return rows.map(({ key, value }) => ({ key: key as KvKey, stored: toKey(fromJson<KvStoredKey>(value)!) }));
  }

  const list = async () => (await read()).map(({ stored: { author: _, ...key } }) => key);

  /**
   * Changes the keys. Each change checks and replaces the counter, so no other comes between. `apply` is called for
   * each attempt.
   */
  async function change(apply: (keys: KeyTable, author: string) => boolean | void): Promise<boolean> {
    const author = crypto.randomUUID(), mayRetry = limitRetries(kv.timeoutMs);
    const counter = space.keyCounter;
    for (;;) {
      const { last, versionstamp } = counterState(await kv.get(counter));
      const entries = await read();
      // Without the counter, the new key would take the place of an old one.
      if (last === 0 && entries.length > 0) {
        throw new StoreUnavailableError(
          "The counter of the petstore's API keys is missing in Deno KV, and there are keys",
        );
      }
      // The key is there by an earlier attempt, whose outcome was not known.
      if (entries.some(({ stored }) => stored.author === author)) return true;
      const keys = new KeyTable(entries.map(({ stored }) => ({ ...stored })));
      const result = apply(keys, author) ?? true;
      // Another program may have put an earlier counter back, and the new key must not take the place of an old one.
      const position = entries.reduce((greatest, { key }) => Math.max(greatest, Number(key.at(-1))), last) + 1;
      const difference = differenceOf(entries, keys.list(), space.key(BigInt(position)));
      if (difference.writes.length + difference.deleted.length === 0) return result;
      difference.writes.push([counter, counterAt(position)]);
      const outcome = await kv.withTimeout(() => kv.commit({ key: counter, versionstamp }, difference));
      if (typeof outcome === "string") return result;
      if (!await mayRetry(outcome)) throw outcome;
    }
  }

  return {
    list,
    /** The counter is read first, so that a change meanwhile is read again: each change replaces it. */
    async listSince(last) {
      const version = String(counterState(await kv.get(space.keyCounter)).versionstamp);
      return version === last ? { version } : { version, keys: await list() };
    },
    add: (key, replaced) => change((keys, author) => keys.add({ ...key, author } as StoredKey, replaced)),
    revoke: (id, at) => change((keys) => keys.revoke(id, at)),
  };
}

/** @param added Where a key goes that has not been stored. */
function differenceOf(entries: readonly KeyEntry[], keys: readonly StoredKey[], added: KvKey): Required<KvChange> {
  const left = new Map(entries.map((entry) => [entry.stored.id, entry]));
  const writes: KvChange["writes"] = [];
  for (const each of keys) {
    const known = left.get(each.id);
    left.delete(each.id);
    const text = JSON.stringify(each);
    if (!known || text !== JSON.stringify(known.stored)) writes.push([known?.key ?? added, toBytes(text)]);
  }
  return { writes, deleted: Array.from(left.values(), ({ key }) => key) };
}

function toKey(key: KvStoredKey): KvStoredKey {
  const dateOf = (time: Date | undefined) => time && new Date(time);
  const { created, expires, revoked } = key;
  return {
    ...key,
    created: new Date(created),
    expires: dateOf(expires),
    revoked: dateOf(revoked),
  };
}
