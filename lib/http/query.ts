/** An escaped letter (RFC 3986 §6.2.2.2). The names of parameters have no other characters, so no more is decoded. */
const LETTER = /%([46][1-9a-f]|[57][0-9a])/gi;

/**
 * Splits a query into its members. This costs less than `URLSearchParams`. No value is decoded here: thousands may be
 * malformed, and each would throw.
 */
export function splitQuery(query: string): string[] {
  return (query.includes("%") ? query.replace(LETTER, decodeURIComponent) : query).split("&");
}

export function queryValues(parameters: readonly string[], name: string): string[] {
  const { length } = name;
  return parameters
    .filter((each) => (each.length === length || each[length] === "=") && each.startsWith(name))
    .map((each) => each.slice(length + 1));
}

/** The value of a member, in which `+` means a space, or `undefined` if an escape sequence is malformed. */
export function decodeQuery(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
