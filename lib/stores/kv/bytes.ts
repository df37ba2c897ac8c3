/**
 * Texts as the store passes them to KV: as bytes. KV serializes all other values in the format of its V8, which an older V8 does not
 * read, for example that of Node beside that of Deno.
 */

import { StoreUnavailableError } from "../store.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function toBytes(text: string): Uint8Array {
  return encoder.encode(text);
}

/** @returns Undefined if the key has no value. */
export function toText(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (value instanceof Uint8Array) return decoder.decode(value);
  throw foreignEntryError();
}

/**
 * The value of a JSON text, which is an object.
 *
 * @throws {StoreUnavailableError} If it is something else.
 */
export function fromJson<T extends object>(value: unknown): T | undefined {
  const text = toText(value);
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) return parsed as T;
  } catch {
    // The same as any other value that the store has not written.
  }
  throw foreignEntryError();
}

function foreignEntryError(): StoreUnavailableError {
  return new StoreUnavailableError("Another program has changed the petstore's entries in Deno KV");
}
