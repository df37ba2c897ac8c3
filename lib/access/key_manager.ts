/** The interface of a manager of API keys, and the validation of what it is given. */

import { refuseUnknown } from "../check_options.ts";
import type { KeyInfo } from "../stores/key_store.ts";
import { withoutPrototype } from "../without_prototype.ts";

/** The properties of a new key. */
export interface NewKeyOptions {
  /** The purpose of the key: 1 to 100 characters, no control characters. */
  label: string;
  /** When it expires. Default: never. */
  expires?: Date;
  /** Whether it may only read. Default: `false`. */
  readOnly?: boolean;
  /** The id of its caller. Keys with the same caller share their `Idempotency-Key`s. Default: the id of the key. */
  caller?: string;
}

/** How a key is replaced. */
export interface RotateOptions {
  /** How long the old key stays valid, in milliseconds, unless it expires earlier. Default: 86,400,000 (a day). */
  overlapMs?: number;
  /** When the new key expires. Default: it lives as long as the old one would have lived. */
  expires?: Date;
}

/** A key that was just made. */
export interface AddedKey extends KeyInfo {
  /** The key in clear text. It is not kept, so show it now. */
  key: string;
}

/**
 * Manages the API keys of a petstore, and is its option `keys`. Several programs may manage the same keys: each follows the changes
 * of the others within a second. A key that was revoked here, or has expired, is refused at once, even if it was just used.
 *
 * Methods reject with the errors of the store, and as each one says.
 */
export interface KeyManager {
  /**
   * Makes a key.
   *
   * @returns The key. The promise rejects with a TypeError if an option has a wrong type, and with a RangeError if it is out of range.
   */
  add(options: NewKeyOptions): Promise<AddedKey>;
  /** Every key, also those that have expired or were revoked, in the order in which they were added. */
  list(): Promise<KeyInfo[]>;
  /**
   * Makes a key with the label, the caller and the rights of another, which expires soon.
   *
   * @returns The new key. The promise rejects with an {@link UnknownKeyError} if there is no such key or it is not valid any more.
   */
  rotate(id: string, options?: RotateOptions): Promise<AddedKey>;
  /** Revokes a key for good. Rejects with an {@link UnknownKeyError} if there is no such key. */
  revoke(id: string): Promise<void>;
  /** Reads the keys. Call it to learn at the start whether they can be read. */
  check(): Promise<void>;
  /** Writes the times of uses that are not written yet. They are written now and then; call it before the store is closed. */
  flush(): Promise<void>;
}

/** There is no such key, or it is not valid any more. */
export class UnknownKeyError extends Error {
  /** The name that logs show. */
  override name = "UnknownKeyError";
  /** The id that was given. */
  readonly id: string;

  /**
   * Creates the error.
   *
   * @param what What was looked for: a key, or a valid key.
   * @param id The id that was given.
   */
  constructor(what: string, id: string) {
    super(`There is no ${what} ${JSON.stringify(id)}`);
    this.id = id;
  }
}

/**
 * @throws {TypeError} If an option has a wrong type.
 * @throws {RangeError} If an option is out of range.
 */
export function checkNewKey(options: NewKeyOptions): void {
  const { label, expires, readOnly = false, caller, ...unknown } = withoutPrototype(options);
  refuseUnknown(unknown, "A new key");
  requireLabel(label);
  requireTime(expires);
  if (typeof readOnly !== "boolean") throw new TypeError("The right readOnly of a key must be a boolean");
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

export function requireTime(time: Date | undefined): void {
  if (time === undefined || (time instanceof Date && time.getTime() > Date.now())) return;
  throw new (time instanceof Date ? RangeError : TypeError)("The expiry of a key must be a Date in the future");
}
