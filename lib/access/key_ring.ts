/**
 * Finds the owner of the key that a request has. A ring has the valid keys of a list, or those that
 * one read of a store has found; the key cache then replaces it by another ring. `AcceptedKeys` has
 * the keys that a function of the app has accepted.
 */

import { hashText } from "../http/hash.ts";
import type { Caller } from "../http/context.ts";
import type { MaybePromise } from "../promises.ts";
import { defaultCallerId, digestOf } from "./key_digest.ts";
import { isKeyText, MAX_KEY_LENGTH } from "./key_text.ts";

/** A valid key and its rights. */
export interface KeyRecord {
  /** The key itself, or the digest of a key whose text is not known here. */
  key: { text: string } | { digest: string };
  caller: string | undefined;
  /** When the key ends, in milliseconds since 1970, or `Infinity` if it never does. */
  expires: number;
  readOnly: boolean;
}

/** Who has a key. */
export interface KeyOwner {
  caller: Caller;
  /** When the key ends, in milliseconds since 1970; `Infinity` if it has no end. */
  expires: number;
}

/** The valid keys of a list or a store. */
export class KeyRing {
  /** The owners of keys whose text is known. */
  readonly #byText: OwnersByText;
  /** The owners of keys of which only the digest was given. The text of one becomes known when a request has it. */
  readonly #byDigest = new Map<string, KeyOwner>();

  constructor(seed?: number) {
    this.#byText = new OwnersByText(seed);
  }

  /** Adds keys. If a key stands in a list twice, its first record counts. */
  async add(records: readonly KeyRecord[]): Promise<this> {
    const owners = new Map<string, KeyOwner>();
    for (const { key, caller, expires, readOnly } of records) {
      const digest = "digest" in key ? key.digest : await digestOf(key.text);
      const owner = owners.get(digest) ??
        { caller: fixedCaller(caller ?? defaultCallerId(digest), readOnly), expires };
      owners.set(digest, owner);
      if ("digest" in key) this.#byDigest.set(digest, owner);
      else this.#byText.add(key.text, owner);
    }
    return this;
  }

  /** The owner of a key, or of what a request has in its place. */
  find(key: string): MaybePromise<KeyOwner | undefined> {
    if (key.length > MAX_KEY_LENGTH) return undefined;
    const owner = this.#byText.find(key);
    if (owner || this.#byDigest.size === 0) return owner;
    // Only a key whose digest is looked up needs the form of a key: a digest of any other text
    // would be computed in vain.
    return isKeyText(key) ? this.#findByDigest(key) : undefined;
  }

  /**
   * Finds a key by its digest, which takes a turn of the event loop. The key is then remembered, so
   * that this happens once.
   */
  async #findByDigest(key: string): Promise<KeyOwner | undefined> {
    const owner = this.#byDigest.get(await digestOf(key));
    if (owner) this.#byText.add(key, owner);
    return owner;
  }
}

/** How many keys that a verifier has accepted are remembered. A verifier may accept any number. */
const MAX_ACCEPTED = 10_000;

/**
 * The callers of keys that a verifier has accepted without naming a caller. The verifier is asked
 * at each request all the same.
 */
export class AcceptedKeys {
  #owners = new OwnersByText();

  /**
   * The caller of an accepted key. Its id is made of the digest of the key, which is computed once,
   * as long as the key is remembered.
   */
  callerOf(key: string): MaybePromise<Caller> {
    return this.#owners.find(key)?.caller ?? this.#add(key);
  }

  async #add(key: string): Promise<Caller> {
    const caller = fixedCaller(defaultCallerId(await digestOf(key)), false);
    if (this.#owners.size >= MAX_ACCEPTED) this.#owners = new OwnersByText();
    this.#owners.add(key, { caller, expires: Infinity });
    return caller;
  }
}

/** A caller that an app cannot change: its handlers and observers get the object that later requests are judged by. */
function fixedCaller(id: string, readOnly: boolean): Caller {
  return Object.freeze({ id, readOnly });
}

interface TextEntry {
  key: string;
  owner: KeyOwner;
}

/**
 * The owners of keys, by the text of the key. Response times must not help to guess one: the
 * fingerprint has a secret seed, and a comparison reads every character.
 */
class OwnersByText {
  readonly #seed: number;
  /** The entries by the fingerprint of their key. Two keys may have the same one. */
  readonly #entries = new Map<number, TextEntry[]>();

  constructor(seed: number = crypto.getRandomValues(new Uint32Array(1))[0]!) {
    this.#seed = seed;
  }

  /** How many different fingerprints there are, which is about the number of keys. */
  get size(): number {
    return this.#entries.size;
  }

  find(key: string): KeyOwner | undefined {
    for (const entry of this.#entries.get(hashText(key, this.#seed)) ?? []) {
      if (areEqual(entry.key, key)) return entry.owner;
    }
    return undefined;
  }

  /**
   * Adds a key, unless it is there. It may have come with another request that computed the digest
   * at the same time, with an equal owner.
   */
  add(key: string, owner: KeyOwner): void {
    if (this.find(key)) return;
    const fingerprint = hashText(key, this.#seed);
    this.#entries.set(fingerprint, [...this.#entries.get(fingerprint) ?? [], { key, owner }]);
  }
}

/** Whether two keys are equal. Every character is read, so that the time tells nothing of a key but its length. */
function areEqual(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let i = 0; i < one.length; i++) difference |= one.charCodeAt(i) ^ other.charCodeAt(i);
  return difference === 0;
}
