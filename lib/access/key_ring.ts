/**
 * Keeps the valid keys in memory, and finds the key that a header has. Every request needs this, so it compares the characters within
 * the header by a fingerprint, and makes no string of the key.
 */

import { hashText, sha256 } from "../http/hash.ts";
import type { Caller, RequestContext } from "../http/context.ts";
import type { MaybePromise } from "../promises.ts";
import { isKeyText, MAX_KEY_LENGTH } from "./bearer.ts";
import type { KeyRecord } from "./keys.ts";

export interface KeyOwner {
  caller: Caller;
  expires: number;
}

/**
 * A key manager, as the check of keys uses it. It is known by this method, since a class to compare with would be in the bundle of an
 * app that has no {@link KeyManager}.
 */
export interface ChangingKeys {
  /** Finds the owner of the key that stands in `header` from `start` on. It needs no `this`. */
  findKey: (header: string, start: number, request: RequestContext) => MaybePromise<KeyOwner | undefined>;
}

const MAX_ACCEPTED = 10_000;

interface KnownKey {
  key: string;
  owner: KeyOwner;
}

export async function digestOf(key: string): Promise<string> {
  return Array.from(await sha256(key), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function idOf(digest: string): string {
  return `key-${digest.slice(0, 12)}`;
}

/**
 * The id of a caller who has no other: half the digest of its key. Logs may show it, since half a digest cannot be used
 * as a key.
 */
export function defaultCallerId(digest: string): string {
  return `key-${digest.slice(0, 32)}`;
}

/** A caller that an app cannot change: its handlers and observers get the object that later requests are judged by. */
function fixedCaller(id: string, readOnly: boolean): Caller {
  return Object.freeze({ id, readOnly });
}

/**
 * Finds the owner of a key. Response times must not help to guess one: the fingerprint has a secret seed, and a
 * comparison reads every character.
 */
export class KeyRing {
  readonly #seed: number;
  readonly #known = new Map<number, KnownKey[]>();
  readonly #byDigest = new Map<string, KeyOwner>();

  constructor(seed: number = crypto.getRandomValues(new Uint32Array(1))[0]!) {
    this.#seed = seed;
  }

  async add(records: readonly KeyRecord[]): Promise<this> {
    const owners = new Map<string, KeyOwner>();
    for (const { key, isDigest, caller, expires, readOnly } of records) {
      const digest = isDigest ? key : await digestOf(key);
      const owner = owners.get(digest) ??
        { caller: fixedCaller(caller ?? defaultCallerId(digest), readOnly), expires };
      owners.set(digest, owner);
      if (isDigest) this.#byDigest.set(digest, owner);
      else this.#remember(key, owner);
    }
    return this;
  }

  /** The owner of the key that stands in `header` from `start` on. */
  find(header: string, start: number): MaybePromise<KeyOwner | undefined> {
    if (header.length - start > MAX_KEY_LENGTH) return undefined;
    const known = this.#findKnown(header, start);
    if (known || this.#byDigest.size === 0) return known;
    const key = header.slice(start);
    return isKeyText(key) ? this.#findDigest(key) : undefined;
  }

  /** The owner of a key that a verifier has accepted. A key that is not known yet is added, so this never fails. */
  findOrAdd(key: string): MaybePromise<KeyOwner> {
    return this.#findKnown(key, 0) ?? this.#addVerified(key);
  }

  #findKnown(header: string, start: number): KeyOwner | undefined {
    const candidates = this.#known.get(hashText(header, start, this.#seed));
    for (let i = 0; candidates && i < candidates.length; i++) {
      if (this.#matches(header, start, candidates[i]!.key)) return candidates[i]!.owner;
    }
    return undefined;
  }

  async #findDigest(key: string): Promise<KeyOwner | undefined> {
    const owner = this.#byDigest.get(await digestOf(key));
    return owner && this.#remember(key, owner);
  }

  async #addVerified(key: string): Promise<KeyOwner> {
    const digest = await digestOf(key);
    // A verifier may accept any number of keys, so the memory for them is limited. What is forgotten is computed again.
    if (this.#known.size >= MAX_ACCEPTED) this.#known.clear();
    return this.#remember(key, { caller: fixedCaller(defaultCallerId(digest), false), expires: Infinity });
  }

  #remember(key: string, owner: KeyOwner): KeyOwner {
    // Another request with the same key may have been first while this one computed the digest.
    if (this.#findKnown(key, 0)) return owner;
    const fingerprint = hashText(key, 0, this.#seed);
    this.#known.set(fingerprint, [...this.#known.get(fingerprint) ?? [], { key, owner }]);
    return owner;
  }

  #matches(header: string, start: number, key: string): boolean {
    if (header.length - start !== key.length) return false;
    let difference = 0;
    for (let i = 0; i < key.length; i++) difference |= header.charCodeAt(start + i) ^ key.charCodeAt(i);
    return difference === 0;
  }
}
