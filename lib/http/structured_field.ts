/** Parses strings in structured fields (RFC 9651). */

/** A string with its quotes (§3.3.3). */
const STRING = /"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/y;

/** The forms of a parameter's value (§3.3): number, string, token, bytes, boolean, date, text. At most one matches. */
const BARE_ITEMS = [
  /-?(?:\d{1,12}\.\d{1,3}|\d{1,15})/y,
  STRING,
  /[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*/y,
  /:[A-Za-z0-9+/]*={0,2}:/y,
  /\?[01]/y,
  /@-?\d{1,15}/y,
  /%"(?:[\x20\x21\x23\x24\x26-\x7e]|%[0-9a-f]{2})*"/y,
];

/** The beginning of a parameter (§3.1.2). */
const PARAMETER = /; *[a-z*][a-z0-9_.*-]*/y;

/** The string in an item; `undefined` if it is not a string. Parameters must be well formed, but are ignored (§3.1.2). */
export function parseStringItem(text: string): string | undefined {
  const end = endOf(STRING, text, 0);
  if (end === undefined || !areParameters(text, end)) return undefined;
  return text.slice(1, end - 1).replace(/\\(.)/g, "$1");
}

/** Whether the rest of a text consists of zero or more parameters. */
function areParameters(text: string, start: number): boolean {
  let at: number | undefined = start;
  while (at !== undefined && at < text.length) {
    at = endOf(PARAMETER, text, at);
    if (at !== undefined && text[at] === "=") at = endOfItem(text, at + 1);
  }
  return at !== undefined;
}

function endOfItem(text: string, start: number): number | undefined {
  for (const pattern of BARE_ITEMS) {
    const end = endOf(pattern, text, start);
    if (end !== undefined) return end;
  }
  return undefined;
}

/** The end of a sticky pattern's match at `start`, if there is one. */
function endOf(pattern: typeof STRING, text: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
