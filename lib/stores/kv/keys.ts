import type { KeySnapshot, KeyStore, KeyUse, StoredKey } from "../key_store.ts";
import { KeyTable } from "../key_table.ts";
import { type Kv, type KvChange, type KvKey, limitRetries } from "./client.ts";
import { counterAt, counterState, fromJson, type Layout, toBytes } from "./layout.ts";

const PAGE = 500;

/** A key as JSON, with times in milliseconds since 1970. */
type KeyRow = Omit<StoredKey, Time> & { [name in Time]?: number | undefined } & {
  /** Identifies the call that added it. */
  author: string;
};
type Time = typeof TIMES[number];
const TIMES = ["created", "expires", "revoked", "lastUsed"] as const;

export class KvKeys implements KeyStore {
  readonly #kv: Kv;
  readonly #layout: Layout;

  constructor(kv: Kv, layout: Layout) {
    this.#kv = kv;
    this.#layout = layout;
  }

  async list(): Promise<StoredKey[]> {
    return (await this.#read()).map(({ row }) => toKey(row));
  }

  /** Each change replaces the counter. It is read first, so that a change meanwhile is read again. */
  async listSince(last: string): Promise<KeySnapshot> {
    const { versionstamp } = counterState(await this.#kv.get(this.#layout.keyCounter));
    const version = String(versionstamp);
    return version === last ? { version } : { version, keys: await this.list() };
  }

  add(key: StoredKey, replaced?: { id: string; expires: Date }): Promise<boolean> {
    return this.#change((keys) => keys.add(key, replaced));
  }

  revoke(id: string, at: Date): Promise<boolean> {
    return this.#change((keys) => keys.revoke(id, at));
  }

  async touch(uses: readonly KeyUse[]): Promise<void> {
    for (const part of this.#partsOf(uses)) await this.#change((keys) => keys.touch(part));
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const part of this.#partsOf(ids)) await this.#change((keys) => keys.remove(part));
  }

  /** As many as one commit can change. */
  #partsOf<T>(all: readonly T[]): T[][] {
    const { maxCreates } = this.#layout;
    return Array.from(
      { length: Math.ceil(all.length / maxCreates) },
      (_, i) => all.slice(i * maxCreates, (i + 1) * maxCreates),
    );
  }

  async #read(): Promise<{ key: KvKey; row: KeyRow }[]> {
    const found: { key: KvKey; row: KeyRow }[] = [];
    for (let after = 0n;;) {
      const rows = await this.#kv.range(this.#layout.key(after + 1n), this.#layout.key(2n ** 64n), PAGE);
      found.push(...rows.map(({ key, value }) => ({ key: key as KvKey, row: fromJson<KeyRow>(value)! })));
      if (rows.length < PAGE) return found;
      after = rows.at(-1)!.key.at(-1) as bigint;
    }
  }

  /**
   * Reads all keys, changes them, and writes what differs. Each change checks and replaces the counter, so no other comes between.
   * `apply` is called for each attempt.
   */
  async #change(apply: (keys: KeyTable) => boolean | void): Promise<boolean> {
    const author = crypto.randomUUID(), mayRetry = limitRetries(this.#kv.timeoutMs);
    const counter = this.#layout.keyCounter;
    for (;;) {
      const { last, versionstamp } = counterState(await this.#kv.get(counter));
      const stored = await this.#read();
      // By an attempt whose outcome was not known.
      if (stored.some(({ row }) => row.author === author)) return true;
      const keys = new KeyTable(stored.map(({ row }) => toKey(row)));
      const result = apply(keys) ?? true;
      const change = this.#difference(stored, keys.list(), { key: this.#layout.key(BigInt(last + 1)), author });
      if (change.writes.length + change.deleted.length === 0) return result;
      change.writes.push([counter, counterAt(last + 1)]);
      const outcome = await this.#kv.withTimeout(() => this.#kv.commit({ key: counter, versionstamp }, change));
      if (typeof outcome === "string") return result;
      if (!await mayRetry(outcome)) throw outcome;
    }
  }

  /** @param added Where a key goes that has not been stored. */
  #difference(
    stored: readonly { key: KvKey; row: KeyRow }[],
    keys: readonly StoredKey[],
    added: { key: KvKey; author: string },
  ): KvChange & Required<Pick<KvChange, "deleted">> {
    const left = new Map(stored.map((each) => [each.row.id, each]));
    const writes: KvChange["writes"] = [];
    for (const each of keys) {
      const known = left.get(each.id);
      left.delete(each.id);
      const text = JSON.stringify(toRow(each, known?.row.author ?? added.author));
      if (!known || text !== JSON.stringify(known.row)) writes.push([known?.key ?? added.key, toBytes(text)]);
    }
    return { writes, deleted: Array.from(left.values(), ({ key }) => key) };
  }
}

function toRow(key: StoredKey, author: string): KeyRow {
  const times = TIMES.map((name) => [name, key[name]?.getTime()]);
  return { ...key, ...Object.fromEntries(times), author };
}

function toKey({ author: _, ...row }: KeyRow): StoredKey {
  const dates = TIMES.map((name) => [name, row[name] === undefined ? undefined : new Date(row[name])]);
  return { ...row, ...Object.fromEntries(dates) };
}
