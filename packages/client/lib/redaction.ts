/** Keeps the key out of errors. */

/** Takes a key out of a text. */
export type Hide = (text: string) => string;

/** Makes a function that hides a key. */
export function createHide(key: string): Hide {
  // Each character may stand there as it is, after a backslash as in JSON, or as its code after a
  // percent sign as in an address. It is visible ASCII, so its code has two digits.
  const forms = Array.from(key, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return `\\\\?(?:\\x${code}|%${code})`;
  });
  const anyForm = new RegExp(forms.join(""), "gi");
  return (text) => text.replace(anyForm, "…");
}

/**
 * Copies the texts of an error of `fetch` and of its causes, without the key. Nothing else of the
 * error is kept, because it may have the request, or the bytes of a response that sends the key
 * back.
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
