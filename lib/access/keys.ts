/** The API keys of an app, and their validation. */

import type { Caller } from "../http/context.ts";
import { withoutPrototype } from "../without_prototype.ts";
import { isKeyText, MAX_KEY_LENGTH } from "./bearer.ts";
import type { KeyManager } from "./key_manager.ts";

/** An API key with its caller and its expiry. */
export interface ApiKey {
  /** The key in clear text, or `sha256:` and the 64 hexadecimal digits of its SHA-256 digest. */
  key: string;
  /**
   * The id of the caller that uses the key. Keys with the same caller share their `Idempotency-Key`s, so a request can be
   * retried with a new API key. Default: each key is a separate caller.
   */
  caller?: string;
  /** The key is refused from this moment on. Default: it never expires. */
  expires?: Date;
  /** Whether the key may only read: an operation that writes gets 403. Default: `false`. */
  readOnly?: boolean;
}

/**
 * Verifies the key of one request. Return `true` to accept the key, or a {@link Caller} to accept the request as that
 * caller's. Any other result refuses the request.
 *
 * `key` is undefined if the request has no `Authorization` header. Then only a `Caller`, for example the owner of a session
 * cookie, accepts the request; `true` does not.
 */
export type KeyVerifier = (
  key: string | undefined,
  request: Request,
) => boolean | Caller | undefined | Promise<boolean | Caller | undefined>;

/**
 * The valid API keys, a function that verifies one, or a {@link KeyManager}, whose keys change while the petstore runs. A string
 * in the iterable has the form of {@link ApiKey.key}. If a key occurs twice, in clear text or as its digest, its first occurrence
 * counts.
 */
export type ApiKeys = (Iterable<string | ApiKey> & object) | KeyVerifier | KeyManager;

/** A validated key. */
export interface KeyRecord {
  /** The key in clear text, or its digest as hexadecimal digits. */
  key: string;
  isDigest: boolean;
  caller: string | undefined;
  /** In milliseconds since 1970; `Infinity` for never. */
  expires: number;
  readOnly: boolean;
  /** Where the last use is noted, if it is. */
  use?: LastUse;
}

/** When a key was last used, in milliseconds since 1970. */
export interface LastUse {
  at: number;
}

const DIGEST_PREFIX = "sha256:";

/** @throws {TypeError} If there is no key, or a key is invalid. The message never contains a key. */
export function checkKeys(keys: Iterable<string | ApiKey>): KeyRecord[] {
  const isList = typeof keys !== "string" && typeof keys?.[Symbol.iterator] === "function";
  const records = isList ? Array.from(keys, (given, index) => checkKey(given, `API key number ${index + 1}`)) : [];
  if (records.length > 0) return records;
  throw new TypeError("Option keys must be API keys, such as keys: [key], a key manager or a function");
}

function checkKey(given: string | ApiKey, name: string): KeyRecord {
  const record = typeof given === "object" && given !== null ? given : { key: given };
  const { key, caller, expires, readOnly = false, ...unknown }: ApiKey = withoutPrototype(record);
  const check = (isRight: boolean, must: string) => {
    if (!isRight) throw new TypeError(`${name} must ${must}`);
  };
  check(key !== undefined, "be a key, but is undefined; is an environment variable not set?");
  check(
    typeof key === "string" && isKeyText(key),
    `be 1 to ${MAX_KEY_LENGTH} visible ASCII characters, no space or comma`,
  );
  // A key with a misspelt expiry would never expire.
  check(Object.keys(unknown).length === 0, "have no members but key, caller, expires and readOnly");
  check(caller === undefined || (typeof caller === "string" && caller !== ""), "have a caller that is not empty");
  const end = expires === undefined ? Infinity : expires instanceof Date ? expires.getTime() : NaN;
  check(!Number.isNaN(end), "have a valid Date as expires");
  check(typeof readOnly === "boolean", "have a boolean as readOnly");
  const isDigest = key.startsWith(DIGEST_PREFIX);
  const text = isDigest ? key.slice(DIGEST_PREFIX.length).toLowerCase() : key;
  check(!isDigest || /^[0-9a-f]{64}$/.test(text), "be sha256: and 64 hex digits");
  return { key: text, isDigest, caller, expires: end, readOnly };
}
