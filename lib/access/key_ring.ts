/** Looks up keys in such a way that the response time does not reveal how much of a guess was right. */

import { hashText, sha256 } from "../hash.ts";
import type { Caller, RequestContext } from "../http/context.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import { isKeyText, MAX_KEY_LENGTH } from "./bearer.ts";
import type { KeyRecord, LastUse } from "./keys.ts";

/** The caller that a key belongs to, and the expiry of the key. */
export interface KeyOwner {
  caller: Caller;
  /** In milliseconds since 1970; `Infinity` for never. */
  expires: number;
  use?: LastUse | undefined;
}

/** The member of a {@link KeyManager} that gives its keys. A symbol, so that its code is not part of a petstore without one. */
export const CURRENT_KEYS: unique symbol = Symbol();

/** Keys that change while the petstore runs. */
export interface ChangingKeys {
  /** The keys that are valid at the moment. Called for each request. */
  [CURRENT_KEYS](request: RequestContext): MaybePromise<KeyRing>;
}

/** How many keys accepted by a verifier are remembered. */
const MAX_ACCEPTED = 10_000;

interface KnownKey {
  /** The key XORed with the pad, so that no key stays in memory as text for longer than a request. */
  blinded: Uint8Array;
  owner: KeyOwner;
}

/** The SHA-256 digest of a key, as hexadecimal digits. */
export async function digestOf(key: string): Promise<string> {
  return Array.from(await sha256(key), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The id of a key. Too little of the digest to be of use to anyone. */
export function idOf(digest: string): string {
  return `key-${digest.slice(0, 12)}`;
}

/** The id of the caller of a key for which the app names none. Half of the digest identifies a key, and cannot be used as one. */
export function defaultCallerId(digest: string): string {
  return `key-${digest.slice(0, 32)}`;
}

/**
 * Known keys are stored by a seeded fingerprint. Its cost depends only on the length of the key, and the sender cannot
 * compute it, so a wrong guess reveals nothing; a comparison reads every character. An unknown key is looked up by its
 * SHA-256 digest, and is known from then on.
 */
export class KeyRing {
  readonly #seed: number;
  readonly #pad: Uint8Array;
  readonly #known = new Map<number, KnownKey[]>();
  readonly #byDigest = new Map<string, KeyOwner>();

  /** @param random The seed and the pad. */
  constructor(random: Uint32Array<ArrayBuffer> = crypto.getRandomValues(new Uint32Array(1 + MAX_KEY_LENGTH / 4))) {
    this.#seed = random[0]!;
    this.#pad = new Uint8Array(random.buffer, 4);
  }

  /** If a key occurs twice, in clear text or as its digest, its first record counts. */
  async add(records: readonly KeyRecord[]): Promise<void> {
    const owners = new Map<string, KeyOwner>();
    for (const { key, isDigest, caller, expires, readOnly, use } of records) {
      const digest = isDigest ? key : await digestOf(key);
      const owner = owners.get(digest) ??
        { caller: { id: caller ?? defaultCallerId(digest), readOnly }, expires, use };
      owners.set(digest, owner);
      if (isDigest) this.#byDigest.set(digest, owner);
      else this.#remember(key, owner);
    }
  }

  /** The owner of the key that begins at `start` in a header, if it is valid. */
  find(header: string, start: number): MaybePromise<KeyOwner | undefined> {
    if (header.length - start > MAX_KEY_LENGTH) return undefined;
    const known = this.#findKnown(header, start);
    if (known || this.#byDigest.size === 0) return known;
    const key = header.slice(start);
    return isKeyText(key) ? this.#findDigest(key) : undefined;
  }

  /** The caller of a key that a verifier accepted without naming one. */
  callerOf(key: string): MaybePromise<Caller> {
    return this.#findKnown(key, 0)?.caller ?? this.#createCaller(key);
  }

  async #createCaller(key: string): Promise<Caller> {
    const caller = { id: defaultCallerId(await digestOf(key)), readOnly: false };
    // Bounded, because a verifier may accept any number of keys.
    if (this.#known.size >= MAX_ACCEPTED) this.#known.clear();
    return this.#remember(key, { caller, expires: Infinity }).caller;
  }

  #findKnown(header: string, start: number): KeyOwner | undefined {
    const candidates = this.#known.get(hashText(header, start, this.#seed));
    for (let i = 0; candidates && i < candidates.length; i++) {
      if (this.#matches(header, start, candidates[i]!.blinded)) return candidates[i]!.owner;
    }
    return undefined;
  }

  async #findDigest(key: string): Promise<KeyOwner | undefined> {
    const owner = this.#byDigest.get(await digestOf(key));
    return owner && this.#remember(key, owner);
  }

  #remember(key: string, owner: KeyOwner): KeyOwner {
    // Another request with this key may have been first.
    if (this.#findKnown(key, 0)) return owner;
    const blinded = Uint8Array.from(key, (character, i) => character.charCodeAt(0) ^ this.#pad[i]!);
    const fingerprint = hashText(key, 0, this.#seed);
    this.#known.set(fingerprint, [...this.#known.get(fingerprint) ?? [], { blinded, owner }]);
    return owner;
  }

  #matches(header: string, start: number, blinded: Uint8Array): boolean {
    if (header.length - start !== blinded.length) return false;
    let difference = 0;
    for (let i = 0; i < blinded.length; i++) {
      difference |= header.charCodeAt(start + i) ^ this.#pad[i]! ^ blinded[i]!;
    }
    return difference === 0;
  }
}
