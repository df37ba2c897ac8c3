/** Keys that are added, rotated and revoked while the petstore runs. */

import type { KeyInfo, KeyStore, StoredKey } from "../stores/key_store.ts";
import { KeyCache } from "./key_cache.ts";
import { makeKey } from "./key_format.ts";
import {
  type AddedKey,
  type KeyManager,
  type NewKeyOptions,
  type RotateOptions,
  UnknownKeyError,
} from "./key_manager.ts";
import { type ChangingKeys, CURRENT_KEYS, digestOf, type KeyRing } from "./key_ring.ts";
import { type ApiKey, checkKeys } from "./keys.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import { withoutPrototype } from "../without_prototype.ts";

/** Options of {@link createKeyManager}. */
export interface KeyManagerOptions {
  /** Further keys that are valid, and cannot be changed. Default: none. */
  keys?: Iterable<string | ApiKey>;
  /**
   * Called with the error when the keys cannot be read while requests arrive, and with undefined when they can be read again.
   * Meanwhile the last known keys stay valid. Default: `console.error` for an error.
   */
  onOutage?: (error: unknown) => void;
}

const DAY = 86_400_000;

export class ManagedKeys implements KeyManager, ChangingKeys {
  readonly #store: KeyStore;
  readonly #cache: KeyCache;

  constructor(store: KeyStore, options: KeyManagerOptions) {
    const { keys, onOutage = reportOutage, ...unknown } = withoutPrototype(options);
    for (const method of ["list", "add", "revoke", "touch"] as const) {
      if (typeof store?.[method] === "function") continue;
      throw new TypeError(`A key manager needs a KeyStore, such as createMemoryStore().keys; it has no ${method}()`);
    }
    const [name] = Object.keys(unknown);
    if (name !== undefined) throw new TypeError(`A key manager has no option ${JSON.stringify(name)}`);
    if (typeof onOutage !== "function") throw new TypeError("onOutage must be a function");
    this.#store = store;
    this.#cache = new KeyCache(store, keys === undefined ? [] : checkKeys(keys), onOutage);
  }

  // Bound, so that a proxy around the manager works.
  readonly [CURRENT_KEYS] = (): MaybePromise<KeyRing> => this.#cache.current();

  async add(options: NewKeyOptions): Promise<AddedKey> {
    checkNewKey(options);
    const { label, expires, readOnly = false, caller } = withoutPrototype(options);
    return await this.#add({ label, expires, readOnly, caller });
  }

  async list(): Promise<KeyInfo[]> {
    return (await this.#store.list()).map(withoutDigest);
  }

  async rotate(id: string, options: RotateOptions = {}): Promise<AddedKey> {
    const { overlapMs = DAY, expires } = withoutPrototype(options);
    const now = Date.now();
    const oldEnd = new Date(now + overlapMs);
    // A date has a limit, so Infinity is not a valid overlap.
    if (!(overlapMs >= 0) || Number.isNaN(oldEnd.getTime())) {
      const type = typeof overlapMs === "number" ? RangeError : TypeError;
      throw new type(`overlapMs must be milliseconds, 0 or more, not ${overlapMs}`);
    }
    requireTime(expires);
    const stored = await this.#store.list();
    const old = stored.find((key) => key.id === id);
    if (!old || old.revoked || (old.expires?.getTime() ?? Infinity) <= now) {
      throw new UnknownKeyError("valid key", id);
    }
    // A key that was replaced before expires early. The last one of its line tells how long they live.
    const { expires: end, created } = stored.findLast(({ caller, label }) =>
      caller === old.caller && label === old.label
    )!;
    const lifetime = end && end.getTime() - created.getTime();
    const wanted = {
      ...old,
      expires: expires ?? (lifetime === undefined ? undefined : new Date(now + lifetime)),
    };
    return await this.#add(wanted, { id, expires: oldEnd });
  }

  async revoke(id: string): Promise<void> {
    if (!await this.#store.revoke(id, new Date())) throw new UnknownKeyError("key", id);
    await this.#cache.renew();
  }

  check(): Promise<void> {
    return this.#cache.renew();
  }

  flush(): Promise<void> {
    return this.#cache.flush();
  }

  async #add(
    { label, expires, readOnly, caller }: Pick<KeyInfo, "label" | "expires" | "readOnly"> & {
      caller?: string | undefined;
    },
    replaced?: { id: string; expires: Date },
  ): Promise<AddedKey> {
    const key = makeKey();
    const digest = await digestOf(key);
    const id = idOf(digest);
    const info: KeyInfo = {
      ...{ id, label, caller: caller ?? id, readOnly, created: new Date(), expires },
      ...{ revoked: undefined, lastUsed: undefined },
    };
    // The other reason, that two random keys have the same id, does not occur.
    if (!await this.#store.add({ ...info, digest }, replaced)) {
      throw new UnknownKeyError("valid key", replaced?.id ?? id);
    }
    // The key is valid now. If it were not returned, because the keys cannot be read, it would be lost.
    await this.#cache.renew().catch(() => {});
    return { key, ...info };
  }
}

/** The id of a key. Too little of the digest to be of use to anyone. */
export function idOf(digest: string): string {
  return `key-${digest.slice(0, 12)}`;
}

function withoutDigest({ digest: _, ...info }: StoredKey): KeyInfo {
  return info;
}

/**
 * @throws {TypeError} If an option has a wrong type.
 * @throws {RangeError} If an option is out of range.
 */
export function checkNewKey(options: NewKeyOptions): void {
  const { label, expires, caller } = withoutPrototype(options);
  requireLabel(label);
  requireTime(expires);
  if (caller === undefined || (typeof caller === "string" && caller !== "")) return;
  throw new TypeError("The caller of a key must be a string that is not empty");
}

function requireLabel(label: string): void {
  const isText = typeof label === "string";
  if (isText && /^[^\p{Cc}\p{Cs}]{1,100}$/u.test(label) && label.trim() !== "") return;
  throw new (isText ? RangeError : TypeError)(
    "The label of a key must be 1 to 100 characters, without control characters, such as ci",
  );
}

function requireTime(time: Date | undefined): void {
  if (time === undefined || (time instanceof Date && time.getTime() > Date.now())) return;
  throw new (time instanceof Date ? RangeError : TypeError)("The expiry of a key must be a Date in the future");
}

function reportOutage(error: unknown): void {
  if (error !== undefined) {
    console.error("The API keys cannot be read at the moment; the last known ones stay valid", error);
  }
}
