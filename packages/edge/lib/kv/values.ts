/** The values of the entries. All are bytes: KV serializes other values in the format of its V8, which an older V8 does not read. */

import { StoreUnavailableError } from "@petstore/petstore/store";
import type { KvEntry } from "./client.ts";

/** The format of all entries, which the counter says. A store does not touch the entries of a later format. */
const FORMAT = 1;

/** The value of a remembered request that may be repeated, or of the last commit of a server, in JSON. */
export interface Remembered {
  /** The id of the request's pet, or the greatest id before the commit. */
  id: number;
  /** The fingerprint of the request, or the name of the commit. */
  fingerprint: string;
  /** When the request expires, in milliseconds as in `Date.now()`. */
  expires: number;
}

export interface CounterState {
  /** The number that was given last: 0 if there is no counter yet. */
  last: number;
  /** The version of the entry: null if there is no counter yet. */
  versionstamp: string | null;
}

/**
 * Reads the entry of a counter.
 *
 * @throws {StoreUnavailableError} If the counter is that of a later release or another program.
 */
export function counterState({ value, versionstamp }: KvEntry): CounterState {
  const { format, last } = fromJson<{ format?: unknown; last?: unknown }>(value) ?? { format: FORMAT, last: 0 };
  if (format !== FORMAT) {
    throw new StoreUnavailableError("A later release of the petstore has written to this Deno KV");
  }
  if (!Number.isSafeInteger(last) || last as number < 0) {
    throw new StoreUnavailableError("Another program has changed the petstore's counter in Deno KV");
  }
  return { versionstamp, last: last as number };
}

/** Makes the value of a counter. */
export function counterAt(last: number): Uint8Array {
  return toBytes(JSON.stringify({ format: FORMAT, last }));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function toBytes(text: string): Uint8Array {
  return encoder.encode(text);
}

/**
 * Reads the text of a value; undefined if there is no entry.
 *
 * @throws {StoreUnavailableError} If another program has written the value.
 */
export function toText(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (value instanceof Uint8Array) return decoder.decode(value);
  throw foreignEntryError();
}

/**
 * Reads the object of a value; undefined if there is no entry. The caller says its type, which is not checked.
 *
 * @throws {StoreUnavailableError} If the value is not the JSON of an object.
 */
export function fromJson<T extends object>(value: unknown): T | undefined {
  const text = toText(value);
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) return parsed as T;
  } catch {
    // Text that cannot be parsed is reported below, as any other foreign value is.
  }
  throw foreignEntryError();
}

function foreignEntryError(): StoreUnavailableError {
  return new StoreUnavailableError("Another program has changed the petstore's entries in Deno KV");
}
