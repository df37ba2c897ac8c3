/** The interface of Deno KV that the store uses. Each call has a time limit, and errors that report an outage. */

import { StoreUnavailableError } from "../store.ts";

/** A key as the store creates it. Keys are ordered by their parts. */
export type KvKey = readonly (string | bigint)[];

/** An entry of KV. Both members are null if the key has no value. */
export interface KvEntry {
  /** The value. */
  readonly value: unknown;
  /** The version of the entry, which each write changes. */
  readonly versionstamp: string | null;
}

/** Writes that KV commits together, or not at all. */
export interface KvAtomic {
  /** Commits only if the entry still has this version; null means that there is no entry. */
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

type KvRow = KvEntry & { readonly key: readonly unknown[] };

/** What a commit writes and deletes. */
export interface KvChange {
  writes: [key: KvKey, value: Uint8Array][];
  deleted?: readonly KvKey[];
}

/** How often a write may fail, other than because of other servers. */
const MAX_FAILURES = 4;
/** The longest pause before a retry, in milliseconds. */
const MAX_PAUSE = 4;

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
   * Commits a change if a counter still has this version, without the time limit: the caller must know when it has ended.
   *
   * @returns The new version, or the error. After an error, the outcome is not always known.
   */
  async commit(
    counter: { key: KvKey; versionstamp: string | null },
    { deleted = [], writes }: KvChange,
  ): Promise<string | StoreUnavailableError> {
    try {
      const atomic = this.#client.atomic();
      atomic.check(counter);
      // First, because a request with an expired key may be remembered again.
      for (const key of deleted) atomic.delete(key);
      for (const [key, value] of writes) atomic.set(key, value);
      const result = await atomic.commit();
      if (result.ok) return result.versionstamp;
      return new StoreUnavailableError("Other servers wrote to Deno KV before each attempt of this one");
    } catch (error) {
      return asUnavailable(error);
    }
  }

  /** Rejects if `work` exceeds the time limit, or fails. */
  async withTimeout<T>(work: () => Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_, reject) =>
      timer = setTimeout(() => reject(this.timeoutError()), this.timeoutMs)
    );
    try {
      return await Promise.race([work(), timeout]);
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The error of a call that exceeds the time limit. */
  timeoutError(): StoreUnavailableError {
    return new StoreUnavailableError(`Deno KV did not answer within ${this.timeoutMs} milliseconds`);
  }
}

/**
 * KV's errors have no codes, and their classes, TypeError and Error, do not depend on the cause. So each of them counts as an outage.
 * The store validates its arguments before it calls KV.
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
  const received = typeof (client as { then?: unknown } | undefined)?.then === "function" ? "a promise" : typeof client;
  throw new TypeError(`A KV store needs what openKv() resolves to; ${received} has no ${missing}()`);
}

/**
 * Limits the retries of one write to this time.
 *
 * @returns Waits for a random time, so that servers that conflict do not conflict again. Resolves to false if it is too late.
 */
export function limitRetries(timeoutMs: number): (failure: StoreUnavailableError) => Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  let failures = 0;
  return async (failure) => {
    if (!isConflict(failure) && ++failures >= MAX_FAILURES) return false;
    const pauseMs = Math.random() * MAX_PAUSE;
    if (performance.now() + pauseMs >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    return true;
  };
}

/** Whether another server was faster. KV itself does not retry if another process is writing to its file. */
function isConflict({ cause }: StoreUnavailableError): boolean {
  return cause === undefined || (cause instanceof Error && cause.message.startsWith("database is locked"));
}
