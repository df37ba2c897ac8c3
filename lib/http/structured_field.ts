/** Parses strings in structured fields (RFC 9651). */

/** A string with its quotes (§3.3.3). */
const STRING = /"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/;

/** The value of a parameter (§3.3): number, string, token, bytes, boolean, date or text. */
const VALUE = [
  /-?(?:\d{1,12}\.\d{1,3}|\d{1,15})/,
  STRING,
  /[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*/,
  /:[A-Za-z0-9+/]*={0,2}:/,
  /\?[01]/,
  /@-?\d{1,15}/,
  /%"(?:[\x20\x21\x23\x24\x26-\x7e]|%[0-9a-f]{2})*"/,
].map(({ source }) => source).join("|");

/** A string with parameters (§3.1.2). Each part ends at a character that it cannot contain, so matching takes linear time. */
const ITEM = new RegExp(`^(${STRING.source})(?:; *[a-z*][a-z0-9_.*-]*(?:=(?:${VALUE}))?)*$`);

/** The string in an item; `undefined` if it is not a string. Parameters must be well formed, but are ignored (§3.1.2). */
export function parseStringItem(text: string): string | undefined {
  return ITEM.exec(text)?.[1]?.slice(1, -1).replace(/\\(.)/g, "$1");
}
