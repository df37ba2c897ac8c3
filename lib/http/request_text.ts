/** The texts in the head of a request: the target, its query, and the values of fields. */

/**
 * The path and the query of a URL. On Bun, the URL is only a path if there is no valid Host header.
 * A slash after `?` belongs to the query.
 */
const TARGET = /^(?:[^/?#]*:\/\/[^/?#]*)?(\/[^#]*)/;

/** The target of a request: the path and the query of its URL, or `""` if it has no path. */
export function targetOf(url: string): string {
  return TARGET.exec(url)?.[1] ?? "";
}

/** Splits a target into the path and the query, which loses its question mark. */
export function splitTarget(target: string): { path: string; query: string } {
  const question = target.indexOf("?");
  if (question < 0) return { path: target, query: "" };
  return { path: target.slice(0, question), query: target.slice(question + 1) };
}

/** Whether a request asks for a path by GET or HEAD. It is for what answers requests without a router. */
export function isGetOf(path: string, { method, target }: { method: string; target: string }): boolean {
  return splitTarget(target).path === path && (method === "GET" || method === "HEAD");
}

/** An escaped letter (RFC 3986 §6.2.2.2). The names of parameters have no other characters, so no more is decoded. */
const LETTER = /%([46][1-9a-f]|[57][0-9a])/gi;

/**
 * Splits a query into its members. This costs less than `URLSearchParams`. No value is decoded
 * here: thousands may be malformed, and each would throw.
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

/**
 * The value of a member, or `undefined` if an escape sequence is malformed. A `+` stays, because no
 * valid value has a space.
 */
export function decodeQuery(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
