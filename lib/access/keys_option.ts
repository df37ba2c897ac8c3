/** The option `keys` of a petstore: its types, and the checks of a list of keys. */

import type { Caller } from "../http/context.ts";
import type { KeyManager } from "./key_manager.ts";
import type { KeyRecord } from "./key_ring.ts";
import { isKeyText, MAX_KEY_LENGTH } from "./key_text.ts";

/** An API key and its rights. */
export interface ApiKey {
  /** The key in clear text, or `sha256:` and its digest in 64 hexadecimal digits. */
  key: string;
  /** Keys of one caller share `Idempotency-Key`s. Default: a caller for each key. */
  caller?: string;
  /** Default: never. */
  expires?: Date;
  /** Whether it may only read. Default: `false`. */
  readOnly?: boolean;
}

/** Accepts a key with `true`, or a request with its {@link Caller}. Without a key (undefined), `true` refuses. */
export type KeyVerifier = (
  key: string | undefined,
  request: Request,
) => boolean | Caller | undefined | Promise<boolean | Caller | undefined>;

/**
 * Which keys are valid: a list, a function that verifies a key, or a key manager. In a list, the first of two equal
 * keys counts.
 */
export type ApiKeys = (Iterable<string | ApiKey> & object) | KeyVerifier | KeyManager;

const DIGEST_PREFIX = "sha256:";

export function checkKeys(keys: Iterable<string | ApiKey>): KeyRecord[] {
  const isList = typeof keys !== "string" && typeof keys?.[Symbol.iterator] === "function";
  const records = isList ? Array.from(keys, (given, index) => checkKey(given, `API key number ${index + 1}`)) : [];
  if (records.length > 0) return records;
  throw new TypeError("Option keys must be API keys, such as keys: [key], a key manager or a function");
}

function checkKey(given: string | ApiKey, name: string): KeyRecord {
  const record = typeof given === "object" && given !== null ? given : { key: given };
  const { key, caller, expires, readOnly = false, ...unknown }: ApiKey = record;
  const check = (isRight: boolean, must: string) => {
    if (!isRight) throw new TypeError(`${name} must ${must}`);
  };
  check(key !== undefined && key !== "", "be a key, but is undefined or empty; is an environment variable not set?");
  check(
    typeof key === "string" && isKeyText(key),
    `be 1 to ${MAX_KEY_LENGTH} visible ASCII characters, no space or comma`,
  );
  // Unknown members are refused, because a misspelt `expires` would mean a key that never ends.
  check(Object.keys(unknown).length === 0, "have no members but key, caller, expires and readOnly");
  check(caller === undefined || (typeof caller === "string" && caller !== ""), "have a caller that is not empty");
  check(
    expires === undefined || (expires instanceof Date && !Number.isNaN(expires.getTime())),
    "have a valid Date as expires",
  );
  check(typeof readOnly === "boolean", "have a boolean as readOnly");
  const rights = { caller, expires: expires?.getTime() ?? Infinity, readOnly };
  if (!key.startsWith(DIGEST_PREFIX)) return { key: { text: key }, ...rights };
  const digest = key.slice(DIGEST_PREFIX.length).toLowerCase();
  check(/^[0-9a-f]{64}$/.test(digest), "be sha256: and 64 hex digits");
  return { key: { digest }, ...rights };
}
