/** Keeps the key out of errors. */

/** How many characters of a key in a row are hidden. Fewer also stand in other words. */
const PIECE = 8;

/** The longest text that is looked through. A message of a petstore is shorter. */
const LONGEST_TEXT = 10_000;

/** Takes a key, and pieces of it, out of a text. */
export type Hide = (text: string) => string;

/** Makes a function that hides a key as it is, in JSON and in an address. */
export function createHide(key: string): Hide {
  // The public prefix of a key is left out, because it is also a common name of a host.
  const secret = key.replace(/^petstore_(?=.)/, "");
  const size = Math.min(PIECE, secret.length);
  const pieces = new Set<string>();
  for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
    for (let at = 0; at + size <= form.length; at++) pieces.add(form.slice(at, at + size));
  }
  return (text) => {
    text = text.slice(0, LONGEST_TEXT);
    let shown = "";
    let end = 0;
    for (let at = 0; at + size <= text.length; at++) {
      if (!pieces.has(text.slice(at, at + size))) continue;
      if (at >= end) shown += text.slice(end, at) + "…";
      end = at + size;
    }
    return shown + text.slice(end);
  };
}

/**
 * Copies the texts of an error of `fetch` and of its causes, without the key. Nothing else of the error is kept, because it may have the
 * request, or the bytes of a response that sends the key back.
 *
 * @param depth How many causes are copied.
 * @returns An `Error`, whatever was thrown; undefined for `undefined` and `null`.
 */
export function redactedCopy(thrown: unknown, hide: Hide, depth = 4): Error | undefined {
  if (thrown === undefined || thrown === null || depth === 0) return undefined;
  const { name, message = thrown, code, stack, cause } = thrown as Record<string, unknown>;
  const inner = redactedCopy(cause, hide, depth - 1);
  const copy = new Error(typeof message === "string" ? hide(message) : "", inner && { cause: inner });
  for (const [member, value] of Object.entries({ name, code, stack })) {
    if (typeof value === "string") Object.assign(copy, { [member]: hide(value) });
  }
  return copy;
}
