/** API keys as bearer tokens (RFC 6750 §2.1): which are valid, and how a request without one is answered. */

import { HttpError } from "../http/errors.ts";
import { isPending, type Pending } from "../pending.ts";

/**
 * The valid API keys: an iterable of keys, each in clear or as `sha256:` and the 64 hexadecimal digits of its SHA-256
 * digest, or a function that is asked about each key and answers whether it is valid.
 */
export type ApiKeys = Iterable<string> | ((key: string) => boolean | Promise<boolean>);

/** Takes the value of an `Authorization` header and answers with what is wrong with it, if anything is. */
export type KeyCheck = (authorization: string | null) => Pending<HttpError | undefined>;

/** Longer than any sensible key or JWT, and short enough that rubbish is cheap. */
const MAX_KEY_LENGTH = 4096;
/** Up to so many keys are all compared with; more are found by a fingerprint, whose price does not grow. */
const FEW_KEYS = 3;
const DIGEST_PREFIX = "sha256:";
const REALM = 'Bearer realm="petstore"';

/** A request without a key. */
export const MISSING_KEY = new HttpError(
  "missing_api_key",
  "An API key is required, as Authorization: Bearer <API_KEY>",
  {
    "www-authenticate": REALM,
  },
);
/** A request with a key that is not valid. */
export const INVALID_KEY = refusal("The API key is not valid");
/** For a key that was sent without its scheme, with another one, or with the scheme twice. */
const malformed = refusal("The Authorization header must be Bearer <API_KEY>: the word, a space and the key alone");

function refusal(message: string): HttpError {
  const challenge = `${REALM}, error="invalid_token", error_description="${message}"`;
  return new HttpError("invalid_api_key", message, { "www-authenticate": challenge });
}

/**
 * Makes the check for a set of keys.
 *
 * @throws {TypeError} If there is no key at all, or one that no request could ever carry. The message never shows a key.
 */
export function createKeyCheck(keys: ApiKeys): KeyCheck {
  const isValid = typeof keys === "function" ? createVerifier(keys) : createKeyRing(keys);
  return (authorization) => {
    if (authorization === null) return MISSING_KEY;
    const start = tokenStart(authorization);
    if (start === undefined) return malformed;
    const valid = isValid(authorization, start);
    return isPending(valid) ? valid.then((valid) => verdict(valid, authorization)) : verdict(valid, authorization);
  };
}

/** Decides about the key that begins at `start` of an `Authorization` header. */
type KeyVerdict = (authorization: string, start: number) => Pending<boolean>;

function verdict(valid: boolean, authorization: string): HttpError | undefined {
  // Exactly true: a verifier that forgot to return, or returned a user record, must not let everyone in.
  if (valid === true) return undefined;
  // The form is all that is looked at, so nothing is told of any key.
  return isOneWord(bearerToken(authorization)) ? INVALID_KEY : malformed;
}

function isOneWord(token: string): boolean {
  return token !== "" && !token.includes(" ") && !token.includes(",");
}

/** The token of an `Authorization` header with the scheme Bearer. */
export function bearerToken(authorization: string): string {
  return authorization.slice(tokenStart(authorization));
}

/** Where the token of `Bearer <token>` begins, the scheme in any case (RFC 9110 §11.1), or `undefined`. */
function tokenStart(authorization: string): number | undefined {
  if (!authorization.startsWith("Bearer ") && authorization.slice(0, 7).toLowerCase() !== "bearer ") return undefined;
  let start = 7;
  while (authorization.charCodeAt(start) === 0x20) start++;
  return start;
}

function createVerifier(verify: (key: string) => Pending<boolean>): KeyVerdict {
  return (authorization, start) => {
    const key = authorization.slice(start);
    return isKeyText(key) && verify(key);
  };
}

/**
 * Visible ASCII without comma: RFC 6750 allows less, many issuers use more. A comma is where two `Authorization` headers
 * were joined, and a choice between two credentials is not ours to make.
 */
function isKeyText(text: string): boolean {
  if (text === "" || text.length > MAX_KEY_LENGTH) return false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x21 || unit > 0x7e || unit === 0x2c) return false;
  }
  return true;
}

function createKeyRing(keys: Iterable<string>): KeyVerdict {
  if (typeof keys === "string" || typeof keys?.[Symbol.iterator] !== "function") {
    throw new TypeError("Option keys must be an iterable of API keys or a function, such as keys: [key]");
  }
  let checked = Array.from(keys, requireKey);
  if (checked.length === 0) throw new TypeError("Option keys must hold at least one API key");
  // Made with the first request: some hosts, Workers among them, have no random numbers before.
  let ring: KeyRing | undefined;
  return (authorization, start) => {
    if (!ring) {
      ring = new KeyRing(checked);
      // From now on the caller's own list is the only one that has them in clear.
      checked = [];
    }
    return ring.has(authorization, start);
  };
}

/** A key in clear, or the bytes of a digest. */
function requireKey(key: unknown, index: number): string | Uint8Array {
  if (typeof key !== "string" || !isKeyText(key)) {
    throw new TypeError(
      `API key number ${index + 1} must be 1 to ${MAX_KEY_LENGTH} visible ASCII characters, no space or comma`,
    );
  }
  return key.startsWith(DIGEST_PREFIX) ? parseDigest(key, index) : key;
}

/**
 * Keys, kept XORed with a random pad: none lies in the heap as text for longer than a request (the caller's own list
 * aside).
 *
 * What time tells: a comparison looks at every character whatever it finds, and every candidate is compared with. So of a
 * few keys, time tells how long they are and nothing of what they say. More keys are filed under a fingerprint from a
 * random seed, which takes as long as the key that was sent is long; a bucket is found by all 32 bits of a number that the
 * sender cannot compute, so a guess learns nothing from missing it, however much of it was right.
 */
class KeyRing {
  readonly #seed: number;
  readonly #pad: Uint8Array;
  readonly #buckets = new Map<number, Uint8Array[]>();
  readonly #digests: Uint8Array[] = [];
  /** All keys, as long as they are few. */
  #few: Uint8Array[] | undefined = [];

  constructor(keys: readonly (string | Uint8Array)[]) {
    const random = crypto.getRandomValues(new Uint32Array(1 + MAX_KEY_LENGTH / 4));
    this.#seed = random[0] ?? 0;
    this.#pad = new Uint8Array(random.buffer, 4);
    for (const key of keys) {
      if (typeof key === "string") this.#remember(key);
      else this.#digests.push(key);
    }
  }

  /** Whether the key that begins at `start` of a header is one of these. */
  has(header: string, start: number): Pending<boolean> {
    if (header.length - start > MAX_KEY_LENGTH) return false;
    let known = false;
    const candidates = this.#few ?? this.#buckets.get(this.#fingerprint(header, start)) ?? [];
    for (const blinded of candidates) known = this.#matches(header, start, blinded) || known;
    if (known || this.#digests.length === 0) return known;
    const key = header.slice(start);
    return isKeyText(key) && this.#matchesDigest(key);
  }

  /** Only a key that has never been valid is hashed; one that was, is then remembered like a key given in clear. */
  async #matchesDigest(key: string): Promise<boolean> {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
    let found = false;
    for (const candidate of this.#digests) {
      let difference = 0;
      for (let i = 0; i < digest.length; i++) difference |= (digest[i] ?? 0) ^ (candidate[i] ?? 0);
      found = difference === 0 || found;
    }
    // Many requests may carry a key before its first digest is ready: it is remembered once.
    if (found && !this.#buckets.has(this.#fingerprint(key, 0))) this.#remember(key);
    return found;
  }

  #remember(key: string): void {
    const blinded = Uint8Array.from(key, (character, i) => character.charCodeAt(0) ^ (this.#pad[i] ?? 0));
    this.#few = this.#few && this.#few.length < FEW_KEYS ? [...this.#few, blinded] : undefined;
    const fingerprint = this.#fingerprint(key, 0);
    this.#buckets.set(fingerprint, [...this.#buckets.get(fingerprint) ?? [], blinded]);
  }

  #matches(header: string, start: number, blinded: Uint8Array): boolean {
    if (header.length - start !== blinded.length) return false;
    let difference = 0;
    for (let i = 0; i < blinded.length; i++) {
      difference |= header.charCodeAt(start + i) ^ this.#pad[i]! ^ blinded[i]!;
    }
    return difference === 0;
  }

  #fingerprint(header: string, start: number): number {
    let hash = this.#seed;
    for (let i = start; i < header.length; i++) {
      hash = Math.imul(hash ^ header.charCodeAt(i), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }
}

function parseDigest(key: string, index: number): Uint8Array {
  const hex = key.slice(DIGEST_PREFIX.length);
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) {
    throw new TypeError(`API key number ${index + 1} must be sha256: and 64 hexadecimal digits`);
  }
  return Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}
