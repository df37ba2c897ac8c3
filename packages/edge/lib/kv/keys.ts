import { StoreUnavailableError } from "@petstore/petstore/store";
import type { KeyStore, StoredKey } from "@petstore/petstore/store";
import { KeyTable } from "@petstore/petstore/store/toolkit";
import { type Kv, type KvChange, type KvKey, limitRetries } from "./client.ts";
import type { KeySpace } from "./key_space.ts";
import { counterAt, counterState, fromJson, toBytes } from "./values.ts";

/** An API key as it is stored in JSON. The `author` is the name of the call that added it. */
type KvStoredKey = StoredKey & { author?: string };

/** An API key, and where it is stored. */
interface KeyEntry {
  key: KvKey;
  stored: KvStoredKey;
}

export function createKvKeys(kv: Kv, space: KeySpace): KeyStore {
  async function read(): Promise<KeyEntry[]> {
    const rows = await kv.range(space.apiKey(0n), space.apiKey(2n ** 64n));
    return rows.map(({ key, value }) => ({ key: key as KvKey, stored: withDates(fromJson<KvStoredKey>(value)!) }));
  }

  const list = async () => (await read()).map(({ stored: { author: _, ...key } }) => key);

  /**
   * Changes the keys. Each change checks and replaces the counter, so no other change comes between its reading and its writing.
   *
   * @param apply Makes the change in a table of the present keys, and returns the result. It is called for each attempt.
   */
  async function change(apply: (keys: KeyTable, author: string) => boolean | void): Promise<boolean> {
    const author = crypto.randomUUID(), waitForRetry = limitRetries(kv.timeoutMs);
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
      // An earlier attempt, whose outcome was not known, has added the key.
      if (entries.some(({ stored }) => stored.author === author)) return true;
      const keys = new KeyTable(entries.map(({ stored }) => ({ ...stored })));
      const result = apply(keys, author) ?? true;
      // Another program may have put an earlier counter back, and the new key must not take the place of an old one.
      const lastPosition = entries.reduce((greatest, { key }) => Math.max(greatest, Number(key.at(-1))), last);
      const position = lastPosition + 1;
      const difference = differenceOf(entries, keys.list(), space.apiKey(BigInt(position)));
      if (difference.writes.length + difference.deleted.length === 0) return result;
      difference.writes.push([counter, counterAt(position)]);
      const outcome = await kv.withTimeout(() => kv.commit({ key: counter, versionstamp }, difference));
      if (typeof outcome === "string") return result;
      if (!await waitForRetry(outcome)) throw outcome;
    }
  }

  return {
    list,
    async listSince(knownVersion) {
      // The version is that of the counter, which each change replaces. It is read before the keys: if they change in between, the next
      // call reads them again.
      const version = String(counterState(await kv.get(space.keyCounter)).versionstamp);
      return version === knownVersion ? { version } : { version, keys: await list() };
    },
    add: (key, replaced) => change((keys, author) => keys.add({ ...key, author } as StoredKey, replaced)),
    revoke: (id, at) => change((keys) => keys.revoke(id, at)),
  };
}

/**
 * Finds what must be written and deleted so that KV has the given keys.
 *
 * @param entries What KV has.
 * @param newKey Where a key goes that has not been stored. There is one at most.
 */
function differenceOf(entries: readonly KeyEntry[], keys: readonly StoredKey[], newKey: KvKey): Required<KvChange> {
  const notKept = new Map(entries.map((entry) => [entry.stored.id, entry]));
  const writes: KvChange["writes"] = [];
  for (const each of keys) {
    const known = notKept.get(each.id);
    notKept.delete(each.id);
    const text = JSON.stringify(each);
    if (!known || text !== JSON.stringify(known.stored)) writes.push([known?.key ?? newKey, toBytes(text)]);
  }
  return { writes, deleted: Array.from(notKept.values(), ({ key }) => key) };
}

/** Turns the times of a key into dates: in JSON, they are texts. */
function withDates(key: KvStoredKey): KvStoredKey {
  const dateOf = (time: Date | undefined) => time && new Date(time);
  const { created, expires, revoked } = key;
  return {
    ...key,
    created: new Date(created),
    expires: dateOf(expires),
    revoked: dateOf(revoked),
  };
}
