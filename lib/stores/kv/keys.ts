import type { KeySnapshot, KeyStore, KeyUse, StoredKey } from "../key_store.ts";
import { KeyTable } from "../key_table.ts";
import { type Kv, type KvChange, type KvKey, limitRetries, partsOf } from "./client.ts";
import type { KeySpace } from "./key_space.ts";
import { counterAt, counterState, fromJson, toBytes } from "./values.ts";

/** As JSON. The author identifies the call that added it. */
type KvStoredKey = StoredKey & { author?: string };

interface KeyEntry {
  key: KvKey;
  stored: KvStoredKey;
}

export class KvKeys implements KeyStore {
  readonly #kv: Kv;
  readonly #space: KeySpace;

  constructor(kv: Kv, space: KeySpace) {
    this.#kv = kv;
    this.#space = space;
  }

  async list(): Promise<StoredKey[]> {
    return (await this.#read()).map(({ stored: { author: _, ...key } }) => key);
  }

  /** Each change replaces the counter. It is read first, so that a change meanwhile is read again. */
  async listSince(last: string): Promise<KeySnapshot> {
    const { versionstamp } = counterState(await this.#kv.get(this.#space.keyCounter));
    const version = String(versionstamp);
    return version === last ? { version } : { version, keys: await this.list() };
  }

  add(key: StoredKey, replaced?: { id: string; expires: Date }): Promise<boolean> {
    return this.#change((keys, author) => keys.add({ ...key, author } as StoredKey, replaced));
  }

  revoke(id: string, at: Date): Promise<boolean> {
    return this.#change((keys) => keys.revoke(id, at));
  }

  async touch(uses: readonly KeyUse[]): Promise<void> {
    for (const part of partsOf(uses, this.#space.maxCreates)) await this.#change((keys) => keys.touch(part));
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const part of partsOf(ids, this.#space.maxCreates)) await this.#change((keys) => keys.remove(part));
  }

  async #read(): Promise<KeyEntry[]> {
    const rows = await this.#kv.range(this.#space.key(0n), this.#space.key(2n ** 64n));
    return rows.map(({ key, value }) => ({ key: key as KvKey, stored: toKey(fromJson<KvStoredKey>(value)!) }));
  }

  /** Each change checks and replaces the counter, so no other comes between. `apply` is called for each attempt. */
  async #change(apply: (keys: KeyTable, author: string) => boolean | void): Promise<boolean> {
    const author = crypto.randomUUID(), mayRetry = limitRetries(this.#kv.timeoutMs);
    const counter = this.#space.keyCounter;
    for (;;) {
      const { last, versionstamp } = counterState(await this.#kv.get(counter));
      const entries = await this.#read();
      // By an attempt whose outcome was not known.
      if (entries.some(({ stored }) => stored.author === author)) return true;
      const keys = new KeyTable(entries.map(({ stored }) => ({ ...stored })));
      const result = apply(keys, author) ?? true;
      const change = difference(entries, keys.list(), this.#space.key(BigInt(last + 1)));
      if (change.writes.length + change.deleted.length === 0) return result;
      change.writes.push([counter, counterAt(last + 1)]);
      const outcome = await this.#kv.withTimeout(() => this.#kv.commit({ key: counter, versionstamp }, change));
      if (typeof outcome === "string") return result;
      if (!await mayRetry(outcome)) throw outcome;
    }
  }
}

/** @param added Where a key goes that has not been stored. */
function difference(entries: readonly KeyEntry[], keys: readonly StoredKey[], added: KvKey): Required<KvChange> {
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
  const { created, expires, revoked, lastUsed } = key;
  return {
    ...{ ...key, created: new Date(created) },
    ...{ expires: dateOf(expires), revoked: dateOf(revoked), lastUsed: dateOf(lastUsed) },
  };
}
