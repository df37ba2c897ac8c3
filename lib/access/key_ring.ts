/**
 * Keeps the valid keys in memory, and finds the key that a header has. Every request needs this, so for speed no string of the key is made:
 * candidates are found by a fingerprint, and their characters are compared with those of the header.
 */

import { hashText, sha256 } from "../http/hash.ts";
import type { Caller, RequestContext } from "../http/context.ts";
import type { MaybePromise } from "../promises.ts";
import { isKeyText, MAX_KEY_LENGTH } from "./bearer.ts";
import type { KeyRecord } from "./keys.ts";

export interface KeyOwner {
  caller: Caller;
  /** When the key ends, in milliseconds since 1970; `Infinity` if it has no end. */
  expires: number;
}

/**
 * A key manager, as the check of keys uses it. It is recognized by this method and not by `instanceof`, so that the bundle of an app without
 * a {@link KeyManager} need not have its class.
 */
export interface ChangingKeys {
  /** Finds the owner of the key that stands in `header` from `start` on. It needs no `this`. */
  findKey: (header: string, start: number, request: RequestContext) => MaybePromise<KeyOwner | undefined>;
}

/** How many keys that a verifier has accepted are remembered. A verifier may accept any number. */
const MAX_ACCEPTED = 10_000;

interface KnownKey {
  key: string;
  owner: KeyOwner;
}

export async function digestOf(key: string): Promise<string> {
  return Array.from(await sha256(key), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The id of a key that a key manager has made. Commands and logs name the key by it. */
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
  /** The keys whose text is known, by fingerprint. Two keys may have the same one. */
  readonly #known = new Map<number, KnownKey[]>();
  /** The keys of which the app gave the digest alone. The text of one becomes known when a request has it. */
  readonly #byDigest = new Map<string, KeyOwner>();

  constructor(seed: number = crypto.getRandomValues(new Uint32Array(1))[0]!) {
    this.#seed = seed;
  }

  /** Adds keys. If a key stands in a list twice, its first record counts. */
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
    // Only a key whose digest is looked up needs the form of a key: a digest of any other text would be computed in vain.
    const key = header.slice(start);
    return isKeyText(key) ? this.#findByDigest(key) : undefined;
  }

  /** The owner of a key that a verifier has accepted. A key that is not known yet is added, so this never fails. */
  findOrAdd(key: string): MaybePromise<KeyOwner> {
    return this.#findKnown(key, 0) ?? this.#addVerified(key);
  }

  #findKnown(header: string, start: number): KeyOwner | undefined {
    const candidates = this.#known.get(hashText(header, start, this.#seed));
    if (!candidates) return undefined;
    for (const { key, owner } of candidates) {
      if (isAt(header, start, key)) return owner;
    }
    return undefined;
  }

  /** Finds a key by its digest, which takes a turn of the event loop. The key is then remembered, so that this happens once. */
  async #findByDigest(key: string): Promise<KeyOwner | undefined> {
    const owner = this.#byDigest.get(await digestOf(key));
    if (owner) this.#remember(key, owner);
    return owner;
  }

  async #addVerified(key: string): Promise<KeyOwner> {
    const digest = await digestOf(key);
    // The memory for the keys of a verifier is limited. The digest of a key that is forgotten is computed again.
    if (this.#known.size >= MAX_ACCEPTED) this.#known.clear();
    const owner = { caller: fixedCaller(defaultCallerId(digest), false), expires: Infinity };
    this.#remember(key, owner);
    return owner;
  }

  #remember(key: string, owner: KeyOwner): void {
    // Another request with the same key may have been first while this one computed the digest. It has an equal owner.
    if (this.#findKnown(key, 0)) return;
    const fingerprint = hashText(key, 0, this.#seed);
    this.#known.set(fingerprint, [...this.#known.get(fingerprint) ?? [], { key, owner }]);
  }
}

/**
 * Whether `header` has exactly this key from `start` on. It reads every character, so that its time tells nothing of the key but its length.
 */
function isAt(header: string, start: number, key: string): boolean {
  if (header.length - start !== key.length) return false;
  let difference = 0;
  for (let i = 0; i < key.length; i++) difference |= header.charCodeAt(start + i) ^ key.charCodeAt(i);
  return difference === 0;
}
