/** The Deno KV that the store accepts, and the calls that it makes: each with a time limit, and with errors that tell an outage. */

import { StoreUnavailableError } from "../store.ts";

/** A key as the store makes it. Its order is that of its parts. */
export type KvKey = readonly (string | bigint)[];

/** What KV has under a key. Both members are null if there is nothing. */
export interface KvEntry {
  /** The value. */
  readonly value: unknown;
  /** The version of the entry, which each write changes. */
  readonly versionstamp: string | null;
}

/** Writes that KV commits together, or not at all. */
export interface KvAtomic {
  /** Commits only if the entry still has this version; null stands for no entry. */
  check(check: { key: KvKey; versionstamp: string | null }): unknown;
  /** Sets the value of a key. */
  set(key: KvKey, value: unknown): unknown;
  /** Deletes a key. */
  delete(key: KvKey): unknown;
  /** Commits the writes, if all checks hold. */
  commit(): Promise<{ ok: true; versionstamp: string } | { ok: false }>;
}

/** The members of a `Deno.Kv`, or of a `Kv` of the npm package `@deno/kv`, that the store uses. */
export interface KvClient {
  /** Reads one key. */
  get(key: KvKey, options?: { consistency?: "strong" }): Promise<KvEntry>;
  /** Reads up to ten keys, in one moment. */
  getMany(keys: KvKey[], options?: { consistency?: "strong" }): Promise<readonly KvEntry[]>;
  /** Reads the keys from `start` up to but not including `end`. Each batch shows one moment. */
  list(
    selector: { start: KvKey; end: KvKey },
    options?: { limit?: number; batchSize?: number; consistency?: "strong" },
  ): AsyncIterable<KvEntry & { readonly key: readonly unknown[] }>;
  /** Starts an atomic operation. */
  atomic(): KvAtomic;
}

/** A row of a range. */
export interface KvRow {
  key: readonly unknown[];
  value: unknown;
}

/** The largest number of keys that KV reads in one moment. */
const MAX_KEYS = 10;

const STRONG = { consistency: "strong" } as const;

/** Calls KV. Each call rejects with {@link StoreUnavailableError} if KV fails, or takes longer than the time limit. */
export class Kv {
  /** The time limit of a call. */
  readonly timeoutMs: number;
  readonly #client: KvClient;

  constructor(client: KvClient, timeoutMs: number) {
    this.#client = client;
    this.timeoutMs = timeoutMs;
  }

  get(key: KvKey): Promise<KvEntry> {
    return this.withTimeout(() => this.#client.get(key, STRONG));
  }

  /** The entries of any number of keys. Those of ten keys show one moment. */
  async getMany(keys: readonly KvKey[]): Promise<KvEntry[]> {
    const parts: Promise<readonly KvEntry[]>[] = [];
    for (let i = 0; i < keys.length; i += MAX_KEYS) {
      parts.push(this.withTimeout(() => this.#client.getMany(keys.slice(i, i + MAX_KEYS), STRONG)));
    }
    return (await Promise.all(parts)).flat();
  }

  /** Up to `limit` rows, at most 500. They show one moment, because KV reads them in one batch. */
  range(start: KvKey, end: KvKey, limit: number): Promise<KvRow[]> {
    return this.withTimeout(async () => {
      const rows: KvRow[] = [];
      for await (const row of this.#client.list({ start, end }, { limit, batchSize: limit, ...STRONG })) rows.push(row);
      return rows;
    });
  }

  /**
   * Commits an atomic operation, without the time limit: the caller has to know when it has ended.
   *
   * @param prepare Adds the checks and writes.
   * @returns The new version, or why there is none. The outcome is not always known then.
   */
  async commit(prepare: (atomic: KvAtomic) => void): Promise<string | StoreUnavailableError> {
    try {
      const atomic = this.#client.atomic();
      prepare(atomic);
      const result = await atomic.commit();
      if (result.ok) return result.versionstamp;
      return new StoreUnavailableError("Other servers wrote to Deno KV before each attempt of this one");
    } catch (error) {
      return asUnavailable(error);
    }
  }

  /** Rejects if `work` takes too long, or fails. */
  async withTimeout<T>(work: () => Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_, reject) =>
      timer = setTimeout(() => reject(this.timedOut()), this.timeoutMs)
    );
    try {
      return await Promise.race([work(), timeout]);
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The error of a call that takes too long. */
  timedOut(): StoreUnavailableError {
    return new StoreUnavailableError(`Deno KV did not answer within ${this.timeoutMs} milliseconds`);
  }
}

/**
 * KV's errors have no codes, and are of the class TypeError or Error whatever happened. So each of them counts as an outage. The
 * store refuses what KV would refuse before it calls KV.
 */
function asUnavailable(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  // The errors of @deno/kv contain a stack of native code.
  const [text] = String(error instanceof Error ? error.message : error).split("\n");
  return new StoreUnavailableError(`Deno KV: ${text}`, { cause: error });
}

/** @throws {TypeError} If `client` lacks a member that the store uses. */
export function requireKv(client: KvClient): void {
  const members: readonly (keyof KvClient)[] = ["get", "getMany", "list", "atomic"];
  const missing = members.find((member) => typeof client?.[member] !== "function");
  if (missing === undefined) return;
  const given = typeof (client as { then?: unknown } | undefined)?.then === "function" ? "a promise" : typeof client;
  throw new TypeError(`A KV store needs what openKv() resolves to; ${given} has no ${missing}()`);
}
