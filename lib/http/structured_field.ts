/** Parses strings in structured fields (RFC 9651). */

/**
 * A string with its quotes (§3.3.3), and parameters (§3.1.2), each a name and a value: a number or a date, a string, a token, bytes, a
 * boolean or text (§3.3).
 */
const ITEM =
  /^("(?:[ !#-[\]-~]|\\["\\])*")(?:; *[a-z*][a-z0-9_.*-]*(?:=(?:@?-?\d+(?:\.\d{1,3})?|%?"(?:[ !#-[\]-~]|\\["\\])*"|[A-Za-z*][\w!#$%&'*+.^`|~:/-]*|:[A-Za-z0-9+/]*={0,2}:|\?[01]))?)*$/;

/** The string in an item; `undefined` if it is not a string. Parameters must be well formed, but are ignored (§3.1.2). */
export function parseStringItem(text: string): string | undefined {
  return ITEM.exec(text)?.[1]?.slice(1, -1).replace(/\\(.)/g, "$1");
}
