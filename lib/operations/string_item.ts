/**
 * A string with its quotes, and the parameters after it. The string has printable ASCII characters,
 * with a backslash before each quote and each backslash (RFC 9651 §3.3.3).
 */
const STRING_ITEM = /^"((?:[ !#-[\]-~]|\\["\\])*)"(?:;.*)?$/;

/**
 * Reads a field that is a string item of structured fields (RFC 9651 §3.3.3), such as
 * `"a \"b\"";c=1`. Its parameters are ignored (§3.1.2).
 *
 * @returns The text of the string, or undefined if the field is no string item.
 */
export function parseStringItem(field: string): string | undefined {
  const [, escaped] = STRING_ITEM.exec(field) ?? [];
  return escaped?.replace(/\\(.)/g, "$1");
}
