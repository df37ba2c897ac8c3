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

/** What is kept of an error that `fetch` throws, as the `cause` of a failure. */
export interface KeptError extends Error {
  /** The code of the system or of the runtime, such as `ECONNREFUSED`. */
  code?: string;
}

/** How many errors of a chain of causes are looked at: a chain may have no end. */
const MOST_CAUSES = 4;

/**
 * Keeps of an error and its causes the last message and the last code, which are the system's,
 * while the first often says only that `fetch` failed; and the stack of the first. None of them has
 * the key. Nothing else is kept, because it may have the request, or the bytes of a response that
 * sends the key back.
 */
export function keptError(thrown: unknown, hide: Hide): KeptError {
  const { name, stack } = (thrown ?? {}) as Partial<Error>;
  let message = String(thrown ?? "");
  let code: string | undefined;
  let each = thrown as KeptError | undefined | null;
  for (let depth = 0; each && depth < MOST_CAUSES; depth++) {
    message = each.message || each.code || message;
    code = each.code ?? code;
    each = each.cause as KeptError | undefined;
  }
  const kept = new Error(hide(String(message)));
  for (const [member, value] of Object.entries({ name, code, stack })) {
    if (typeof value === "string") Object.assign(kept, { [member]: hide(value) });
  }
  return kept;
}
