/** The API keys that an app gives: which forms they have, and what is wrong with one. */

import type { Caller } from "../http/exchange.ts";
import { isKeyText, MAX_KEY_LENGTH } from "./bearer.ts";

/** An API key and what belongs to it. */
export interface ApiKey {
  /** In clear, or as `sha256:` and the 64 hexadecimal digits of its SHA-256 digest. */
  key: string;
  /**
   * The id of the caller that uses it. Two keys with the same caller share their `Idempotency-Key`s, so a caller can
   * change its key between two attempts. Unless given, each key is a caller of its own.
   */
  caller?: string;
  /** The moment from which the key is refused. Unless given, there is none. */
  expires?: Date;
}

/**
 * Decides about one request. `true` accepts the key, and a {@link Caller} accepts the request as that caller's; anything
 * else refuses it.
 *
 * `key` is `""` if the request has no `Authorization` header. Then only a `Caller` accepts it, for example the one to whom
 * a session cookie belongs: `true` does not.
 */
export type KeyVerifier = (
  key: string,
  request: Request,
) => boolean | Caller | undefined | Promise<boolean | Caller | undefined>;

/** The valid API keys, as an iterable or as a function that decides. A plain string is a key in clear or its digest. */
export type ApiKeys = (Iterable<string | ApiKey> & object) | KeyVerifier;

/** A key that has been checked. */
export interface KeyRecord {
  /** In clear, or its digest as hexadecimal digits. */
  key: string;
  isDigest: boolean;
  caller: string | undefined;
  /** In milliseconds since 1970; `Infinity` for never. */
  expires: number;
}

const DIGEST_PREFIX = "sha256:";

/**
 * Checks the keys of an iterable.
 *
 * @throws {TypeError} If there is no key, or one that no request could carry. The message never shows a key.
 */
export function checkKeys(keys: Iterable<string | ApiKey>): KeyRecord[] {
  if (typeof keys === "string" || typeof keys?.[Symbol.iterator] !== "function") {
    throw new TypeError("Option keys must be an iterable of API keys or a function, such as keys: [key]");
  }
  const records = Array.from(keys, (given, index) => checkKey(given, `API key number ${index + 1}`));
  if (records.length === 0) throw new TypeError("Option keys must hold at least one API key");
  return records;
}

function checkKey(given: string | ApiKey, name: string): KeyRecord {
  const record = typeof given === "object" && given !== null ? given : { key: given };
  // Without a prototype: a member that a program has added to Object.prototype belongs to no key.
  const { key, caller, expires, ...others }: ApiKey = Object.assign(Object.create(null), record);
  if (typeof key !== "string" || !isKeyText(key)) {
    throw new TypeError(`${name} must be 1 to ${MAX_KEY_LENGTH} visible ASCII characters, no space or comma`);
  }
  // A misspelt expiry would let the key in for ever.
  if (Object.keys(others).length > 0) {
    throw new TypeError(`${name} must have no other members than key, caller and expires`);
  }
  if (caller !== undefined && (typeof caller !== "string" || caller === "")) {
    throw new TypeError(`The caller of ${name} must be a string that is not empty`);
  }
  if (expires !== undefined && !(expires instanceof Date && !Number.isNaN(expires.getTime()))) {
    throw new TypeError(`Expiry of ${name} must be a valid Date`);
  }
  const isDigest = key.startsWith(DIGEST_PREFIX);
  return {
    key: isDigest ? readDigest(key, name) : key,
    isDigest,
    caller,
    expires: expires?.getTime() ?? Infinity,
  };
}

function readDigest(key: string, name: string): string {
  const hex = key.slice(DIGEST_PREFIX.length);
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) throw new TypeError(`${name} must be sha256: and 64 hexadecimal digits`);
  return hex.toLowerCase();
}
