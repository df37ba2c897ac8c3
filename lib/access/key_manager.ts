/** The types of a key manager, and the checks of its options. `createKeyManager()` is in create_key_manager.ts. */

import type { RequestContext } from "../http/context.ts";
import { checkAll, type Checks, invalid, nonEmptyText, oneOf, option } from "../option_checks.ts";
import type { MaybePromise } from "../promises.ts";
import type { KeyInfo } from "../stores/key_store.ts";
import type { KeyOwner } from "./key_ring.ts";

/** The properties of a new key. */
export interface NewKeyOptions {
  /** What the key is for: 1 to 100 characters, without control characters. */
  label: string;
  /** Default: never. */
  expires?: Date;
  /** Default: `false`. */
  readOnly?: boolean;
  /** Keys of one caller share `Idempotency-Key`s. Default: the key's id. */
  caller?: string;
}

/** How a key is replaced. */
export interface RotateOptions {
  /** Milliseconds until the old key expires at the latest. Default: a day. */
  overlapMs?: number;
  /** Default: the old key's lifetime from now. */
  expires?: Date;
}

/** A new key. */
export interface AddedKey extends KeyInfo {
  /** The key in clear text. Only its digest is kept, so it cannot be shown again. */
  key: string;
}

/**
 * The option `keys` of a petstore. Changes take effect at once. A key that another program adds
 * works at once too; its other changes take effect within a second.
 */
export interface KeyManager {
  /** Makes a key. Rejects with a TypeError. */
  add(options: NewKeyOptions): Promise<AddedKey>;
  /** Every key ever made, oldest first. */
  list(): Promise<KeyInfo[]>;
  /** Replaces a valid key, or rejects with an {@link UnknownKeyError}. */
  rotate(id: string, options?: RotateOptions): Promise<AddedKey>;
  /** Revokes a key. Rejects with an {@link UnknownKeyError} if there is no such key. */
  revoke(id: string): Promise<void>;
  /** Rejects if the keys cannot be read. */
  check(): Promise<void>;
}

/**
 * A key manager as `createKeyManager()` makes it. The public type lacks `findKey`, because an app
 * has no use for it, and its parameter is internal.
 */
export interface FindingKeyManager extends KeyManager {
  /** It needs no `this`. */
  findKey: FindKey;
}

/** Finds the owner of the key that a request has. The result is undefined if there is no such key. */
export type FindKey = (key: string, request: RequestContext) => MaybePromise<KeyOwner | undefined>;

/** There is no such valid key. */
export class UnknownKeyError extends Error {
  /** The name that logs show for the error. */
  override name = "UnknownKeyError";
  /** The id that no valid key has. */
  readonly id: string;

  /** Creates the error. */
  constructor(what: string, id: string) {
    super(`There is no ${what} ${JSON.stringify(id)}`);
    this.id = id;
  }
}

/** The options of a new key with their defaults. */
export interface CheckedKey {
  label: string;
  expires: Date | undefined;
  readOnly: boolean;
  caller: string | undefined;
}

/** @throws {TypeError} If an option is wrong. */
export function checkNewKey(options: NewKeyOptions): CheckedKey {
  return checkAll(NEW_KEY_CHECKS, options);
}

/** The check of the time when a new key expires. The date is a copy, because the caller may change its own. */
export const EXPIRY = option("a Date in the future", futureDate, undefined);

const NEW_KEY_CHECKS: Checks<NewKeyOptions, CheckedKey> = {
  label: checkLabel,
  expires: EXPIRY,
  readOnly: oneOf([true, false], false),
  caller: nonEmptyText,
};

function futureDate(given: unknown): Date | undefined {
  return given instanceof Date && given.getTime() > Date.now() ? new Date(given) : undefined;
}

function checkLabel(label: string, name: string): string {
  const isLabel = typeof label === "string" && /^[^\p{Cc}\p{Cs}]{1,100}$/u.test(label) && label.trim() !== "";
  if (isLabel) return label;
  throw invalid(name, "1 to 100 characters, such as ci, without control characters", label);
}
