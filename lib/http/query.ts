/** Escaped letters (RFC 3986 §6.2.2.2): names have no other characters. */
const LETTER = /%([46][1-9a-f]|[57][0-9a])/gi;

/** Cheaper than `URLSearchParams`. Decodes no value: thousands may be malformed, and each would throw. */
export function splitQuery(query: string): string[] {
  return (query.includes("%") ? query.replace(LETTER, decodeURIComponent) : query).split("&");
}

export function queryValues(parameters: readonly string[], name: string): string[] {
  const { length } = name;
  return parameters
    .filter((each) => (each.length === length || each[length] === "=") && each.startsWith(name))
    .map((each) => each.slice(length + 1));
}

/** `+` is a space; `undefined` if malformed. */
export function decodeQuery(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
