import { StoreUnavailableError } from "@petstore/petstore/store";

/** A key of Deno KV. Keys are ordered by their parts. */
export type KvKey = readonly (string | bigint)[];

/** An entry of Deno KV. Both members are null if the key has no value. */
export interface KvEntry {
  /** The value. */
  readonly value: unknown;
  /** The version of the entry, which each write changes. */
  readonly versionstamp: string | null;
}

/** Writes that KV commits together, or not at all. */
export interface KvAtomic {
  /** Lets the commit fail unless the entry has this version. Null stands for no entry. */
  check(check: { key: KvKey; versionstamp: string | null }): unknown;
  /** Sets the value of a key. */
  set(key: KvKey, value: unknown): unknown;
  /** Deletes a key. */
  delete(key: KvKey): unknown;
  /** Commits the writes, if all checks hold. */
  commit(): Promise<{ ok: true; versionstamp: string } | { ok: false }>;
}

/** The members of Deno KV that the store uses. */
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

export interface KvChange {
  writes: [key: KvKey, value: Uint8Array][];
  deleted?: readonly KvKey[];
}

/** After this many failures that are no conflicts, there is no further attempt. */
const MAX_FAILURES = 4;
/** The longest pause before a further attempt. */
const MAX_PAUSE_MS = 4;

/** How many keys KV reads at a time. */
const KEYS_PER_READ = 10;

const STRONG = { consistency: "strong" } as const;

/** Calls a KV. Each call but `commit()` rejects with {@link StoreUnavailableError} if KV fails, or exceeds the time limit. */
export class Kv {
  readonly timeoutMs: number;
  readonly #client: KvClient;

  constructor(client: KvClient, timeoutMs: number) {
    this.#client = client;
    this.timeoutMs = timeoutMs;
  }

  get(key: KvKey): Promise<KvEntry> {
    return this.withTimeout(() => this.#client.get(key, STRONG));
  }

  /** Reads keys in parts of ten. Only the entries of one part show one moment. */
  async getMany(keys: readonly KvKey[]): Promise<KvEntry[]> {
    const read = (part: KvKey[]) => this.withTimeout(() => this.#client.getMany(part, STRONG));
    return (await Promise.all(partsOf(keys, KEYS_PER_READ).map(read))).flat();
  }

  /** Reads the first keys from `start` up to but not including `end`, in one moment, because KV reads them in one batch. */
  range(start: KvKey, end: KvKey, limit: number): Promise<KvRow[]> {
    const options = { limit, batchSize: limit, ...STRONG };
    return this.withTimeout(async () => {
      const rows: KvRow[] = [];
      for await (const row of this.#client.list({ start, end }, options)) rows.push(row);
      return rows;
    });
  }

  /**
   * Commits, without the time limit. Never rejects.
   *
   * @param counter The entry whose version the commit checks. The writes replace it.
   * @returns The new version, or an error. After a {@link ConflictError}, nothing was written. After any other error, the outcome is not
   * known.
   */
  async commit(
    counter: { key: KvKey; versionstamp: string | null },
    { deleted = [], writes }: KvChange,
  ): Promise<string | StoreUnavailableError> {
    try {
      const atomic = this.#client.atomic();
      atomic.check(counter);
      // The deletions come first, because a request with an expired key may be remembered again.
      for (const key of deleted) atomic.delete(key);
      for (const [key, value] of writes) atomic.set(key, value);
      const result = await atomic.commit();
      if (result.ok) return result.versionstamp;
      return new ConflictError("Other servers wrote to Deno KV before each attempt of this one");
    } catch (error) {
      return asUnavailable(error);
    }
  }

  /** Waits for `work` until the time limit. KV cannot cancel what has begun, so it goes on. */
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

  timeoutError(): StoreUnavailableError {
    return new StoreUnavailableError(`Deno KV did not answer within ${this.timeoutMs} milliseconds`);
  }
}

/** Another server has changed the counter before this commit, so nothing was written. */
export class ConflictError extends StoreUnavailableError {}

/** KV's errors have no codes, and their classes do not depend on the cause, so each counts as an outage. */
function asUnavailable(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  // The errors of @deno/kv contain a stack of native code.
  const [text] = String(error instanceof Error ? error.message : error).split("\n");
  return new StoreUnavailableError(`Deno KV: ${text}`, { cause: error });
}

/** Splits a list into parts of `size` members. The last part may have fewer. */
function partsOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

/** @throws {TypeError} If `client` is no KV. */
export function requireKv(client: KvClient): void {
  const members: readonly (keyof KvClient)[] = ["get", "getMany", "list", "atomic"];
  const missing = members.find((member) => typeof client?.[member] !== "function");
  if (missing === undefined) return;
  const received = typeof (client as { then?: unknown } | undefined)?.then === "function" ? "a promise" : typeof client;
  throw new TypeError(`A KV store needs what openKv() resolves to; ${received} has no ${missing}()`);
}

/**
 * Returns a function that is called after each failed attempt. It waits for a random time, so that servers do not conflict again, and
 * resolves to whether there may be a further attempt: not after `timeoutMs` from now, nor after too many failures that are no conflicts.
 */
export function limitRetries(timeoutMs: number): (failure: StoreUnavailableError) => Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  let failures = 0;
  return async (failure) => {
    if (!isConflict(failure) && ++failures >= MAX_FAILURES) return false;
    const pauseMs = Math.random() * MAX_PAUSE_MS;
    if (performance.now() + pauseMs >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    return true;
  };
}

/** Whether another server has won. KV does not try again by itself if another process writes to its file. */
function isConflict(failure: StoreUnavailableError): boolean {
  const { cause } = failure;
  return failure instanceof ConflictError || (cause instanceof Error && cause.message.startsWith("database is locked"));
}
