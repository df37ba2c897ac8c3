/** Makes a function that takes the key out of a text: as it is, in JSON, in an address and in base64. */
export function createHide(key: string): (text: string) => string {
  const forms = [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key), btoa(key).replaceAll("=", "")];
  return (text) => {
    for (const form of forms) {
      text = text.replaceAll(form, "…");
      // A connection may be cut within the key.
      let length = form.length;
      while (--length > 3 && !text.endsWith(form.slice(0, length)));
      if (length > 3) text = text.slice(0, -length) + "…";
    }
    return text;
  };
}

/**
 * The texts of an error of `fetch` and its causes. It may hold the request, or the bytes of a response that sends the
 * key back.
 */
export function textsOf(thrown: unknown, hide: (text: string) => string, depth = 4): Error | undefined {
  if (thrown == null || !depth) return undefined;
  const { name, message, code, stack, cause, errors } = thrown as Record<string, unknown>;
  const text = (value: unknown) => typeof value === "string" ? hide(value) : undefined;
  const inner = textsOf(cause, hide, depth - 1);
  const kept = new Error(text(message) ?? text(thrown), inner && { cause: inner });
  for (const [member, value] of Object.entries({ name, code, stack })) {
    if (typeof value === "string") Object.assign(kept, { [member]: hide(value) });
  }
  // Of the attempts to connect to each address of a name.
  if (Array.isArray(errors)) {
    Object.assign(kept, { errors: errors.slice(0, 4).map((each) => textsOf(each, hide, depth - 1)) });
  }
  return kept;
}
