/** The option `keys` of a petstore: its types, and the checks of a list of keys. */

import type { Caller } from "../http/context.ts";
import { checkAll, type Checks, nonEmptyText, oneOf, option } from "../option_checks.ts";
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
 * Which keys are valid: a list, a function that verifies a key, or a key manager. In a list, the
 * first of two equal keys counts.
 */
export type ApiKeys = (Iterable<string | ApiKey> & object) | KeyVerifier | KeyManager;

export function checkKeys(keys: Iterable<string | ApiKey>): KeyRecord[] {
  const isList = typeof keys !== "string" && typeof keys?.[Symbol.iterator] === "function";
  const records = isList ? Array.from(keys, checkKey) : [];
  if (records.length > 0) return records;
  throw new TypeError("Option keys must be API keys, such as keys: [key], a key manager or a function");
}

function checkKey(given: string | ApiKey, index: number): KeyRecord {
  const record = typeof given === "object" && given !== null ? given : { key: given };
  return checkAll(KEY_CHECKS, record, `keys[${index}]`);
}

const KEY_CHECKS: Checks<ApiKey, KeyRecord> = {
  key: readKey,
  caller: nonEmptyText,
  expires: option("a valid Date", timeOf, Infinity),
  readOnly: oneOf([true, false], false),
};

const DIGEST_PREFIX = "sha256:";

/** Reads the text of a key, or its digest. The messages do not show it. */
function readKey(key: string, name: string): KeyRecord["key"] {
  if (key === undefined || key === "") {
    throw new TypeError(`Option ${name} is undefined or empty; is an environment variable not set?`);
  }
  if (typeof key !== "string" || !isKeyText(key)) {
    throw new TypeError(`Option ${name} must be 1 to ${MAX_KEY_LENGTH} visible ASCII characters, no space or comma`);
  }
  if (!key.startsWith(DIGEST_PREFIX)) return { text: key };
  const digest = key.slice(DIGEST_PREFIX.length).toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new TypeError(`Option ${name} must be sha256: and 64 hex digits`);
  return { digest };
}

function timeOf(date: unknown): number | undefined {
  const isValid = date instanceof Date && !Number.isNaN(date.getTime());
  return isValid ? date.getTime() : undefined;
}
