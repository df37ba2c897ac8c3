import { type KeySnapshot, type KeyStore, type KeyUse, latestUses, type StoredKey } from "../key_store.ts";
import { type Kv, type KvKey, limitRetries } from "./client.ts";
import { counterAt, counterState, fromJson, type Layout, toBytes } from "./layout.ts";

const PAGE = 500;
const MAX_CHANGED = 200;

/** A key as JSON, with times in milliseconds since 1970. */
type KeyRow = Omit<StoredKey, Time> & { [name in Time]?: number | undefined };
type Time = typeof TIMES[number];
const TIMES = ["created", "expires", "revoked", "lastUsed"] as const;

/** The position of a key. */
interface KeyIndex {
  position: number;
  /** Identifies the call that added it. */
  author: string;
}

/** The rows that a change writes, or deletes if undefined; or its result if it does neither. */
type Change = [KvKey, KeyRow | KeyIndex | undefined][] | boolean;

export class KvKeys implements KeyStore {
  readonly #kv: Kv;
  readonly #layout: Layout;

  constructor(kv: Kv, layout: Layout) {
    this.#kv = kv;
    this.#layout = layout;
  }

  async list(): Promise<StoredKey[]> {
    const keys: StoredKey[] = [];
    for (let after = 0n;;) {
      const rows = await this.#kv.range(this.#layout.key(after + 1n), this.#layout.key(2n ** 64n), PAGE);
      keys.push(...rows.map(({ value }) => toKey(fromJson<KeyRow>(value)!)));
      if (rows.length < PAGE) return keys;
      after = rows.at(-1)!.key.at(-1) as bigint;
    }
  }

  /** Each change replaces the counter. It is read first, so that a change meanwhile is read again. */
  async listSince(last: string): Promise<KeySnapshot> {
    const { versionstamp } = counterState(await this.#kv.get(this.#layout.keyCounter));
    const version = String(versionstamp);
    return version === last ? { version } : { version, keys: await this.list() };
  }

  add(key: StoredKey, replaced?: { id: string; expires: Date }): Promise<boolean> {
    const { keyId, keyDigest } = this.#layout.keyIndexes(key);
    const author = crypto.randomUUID();
    return this.#change(async (position) => {
      const [known, sameDigest] = await this.#kv.getMany([keyId, keyDigest]);
      // After a commit whose outcome is not known, it may be this key.
      if (known!.value !== null) return fromJson<KeyIndex>(known!.value)!.author === author;
      if (sameDigest!.value !== null) return false;
      const [old] = replaced ? await this.#find([replaced.id]) : [];
      if (replaced && (!old || old.row.revoked !== undefined)) return false;
      const change: Change = [
        [this.#layout.key(BigInt(position)), toRow(key)],
        [keyId, { position, author }],
        [keyDigest, { position, author }],
      ];
      if (!replaced) return change;
      const expires = Math.min(old!.row.expires ?? Infinity, replaced.expires.getTime());
      return [...change, [old!.key, { ...old!.row, expires }]];
    });
  }

  revoke(id: string, at: Date): Promise<boolean> {
    return this.#change(async () => {
      const [entry] = await this.#find([id]);
      if (!entry || entry.row.revoked !== undefined) return entry !== undefined;
      return [[entry.key, { ...entry.row, revoked: at.getTime() }]];
    });
  }

  async touch(uses: readonly KeyUse[]): Promise<void> {
    const now = Date.now();
    const latest = [...latestUses(uses, now)];
    for (let i = 0; i < latest.length; i += MAX_CHANGED) {
      const part = new Map(latest.slice(i, i + MAX_CHANGED));
      await this.#change(async () => {
        const entries = await this.#find([...part.keys()]);
        const isLater = (known: number, use: number) => !(known >= use && known <= now);
        const later = entries.filter((each) => each && isLater(each.row.lastUsed!, part.get(each.row.id)!));
        if (later.length === 0) return true;
        return later.map((each) => [each!.key, { ...each!.row, lastUsed: part.get(each!.row.id) }]);
      });
    }
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (let i = 0; i < ids.length; i += MAX_CHANGED) {
      await this.#change(async () => {
        const entries = (await this.#find(ids.slice(i, i + MAX_CHANGED))).filter((each) => each !== undefined);
        if (entries.length === 0) return true;
        return entries.flatMap(({ key, row }) =>
          [key, ...Object.values(this.#layout.keyIndexes(row))].map((each): [KvKey, undefined] => [each, undefined])
        );
      });
    }
  }

  async #find(ids: readonly string[]): Promise<({ key: KvKey; row: KeyRow } | undefined)[]> {
    const positions = await this.#kv.getMany(ids.map((id) => this.#layout.keyIndexes({ id, digest: "" }).keyId));
    const keys = positions.map(({ value }) => this.#layout.key(BigInt(fromJson<KeyIndex>(value)?.position ?? 0)));
    const rows = await this.#kv.getMany(keys);
    return rows.map(({ value }, i) => value === null ? undefined : { key: keys[i]!, row: fromJson<KeyRow>(value)! });
  }

  /**
   * Makes a serializable change: each one checks and replaces the counter of keys. `plan` is called for each attempt.
   */
  async #change(plan: (position: number) => Promise<Change>): Promise<boolean> {
    const mayRetry = limitRetries(this.#kv.timeoutMs);
    const key = this.#layout.keyCounter;
    for (;;) {
      const { last, versionstamp } = counterState(await this.#kv.get(key));
      const change = await plan(last + 1);
      if (typeof change === "boolean") return change;
      const writes = change.filter(([, value]) => value !== undefined)
        .map(([key, value]): [KvKey, Uint8Array] => [key, toBytes(JSON.stringify(value))]);
      writes.push([key, counterAt(last + 1)]);
      const deleted = change.filter(([, value]) => value === undefined).map(([key]) => key);
      const outcome = await this.#kv.withTimeout(() => this.#kv.commit({ key, versionstamp }, { writes, deleted }));
      if (typeof outcome === "string") return true;
      if (!await mayRetry(outcome)) throw outcome;
    }
  }
}

function toRow(key: StoredKey): KeyRow {
  const times = TIMES.map((name) => [name, key[name]?.getTime()]);
  return { ...key, ...Object.fromEntries(times) };
}

function toKey(row: KeyRow): StoredKey {
  const dates = TIMES.map((name) => [name, row[name] === undefined ? undefined : new Date(row[name])]);
  return { ...row, ...Object.fromEntries(dates) };
}
