/**
 * Texts as the store passes them to KV: as bytes. KV serializes all other values in the format of its V8, which an older V8 does not
 * read, for example that of Node beside that of Deno.
 */

import { StoreUnavailableError } from "../store.ts";

const COMMA = 0x2c, OPENING = 0x5b, CLOSING = 0x5d;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function toBytes(text: string): Uint8Array {
  return encoder.encode(text);
}

/** @returns Undefined if the key has no value. */
export function toText(value: unknown): string | undefined {
  return value === null ? undefined : decoder.decode(requireBytes(value));
}

/** The text of a JSON array whose elements are texts. Decoding all of them at once is faster. */
export function toArrayText(values: readonly unknown[]): string {
  const elements = values.map(requireBytes);
  const bytes = new Uint8Array(elements.reduce((sum, { length }) => sum + length + 1, 1) + (values.length ? 0 : 1));
  bytes[0] = OPENING;
  let end = 1;
  for (const element of elements) {
    bytes.set(element, end);
    end += element.length;
    bytes[end++] = COMMA;
  }
  // In the place of the last comma.
  bytes[bytes.length - 1] = CLOSING;
  return decoder.decode(bytes);
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

function requireBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw foreignEntryError();
}

function foreignEntryError(): StoreUnavailableError {
  return new StoreUnavailableError("Another program has changed the petstore's entries in Deno KV");
}
