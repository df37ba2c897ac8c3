/** Parses strings in structured fields (RFC 9651). */

/** A string with its quotes (§3.3.3). */
const STRING = /"(?:[ !#-[\]-~]|\\["\\])*"/y;

/** A parameter (§3.1.2). Its value is a number, a string, a token, bytes, a boolean, a date or text (§3.3). */
const PARAMETER =
  /; *[a-z*][a-z0-9_.*-]*(?:=(?:-?(?:\d{1,12}\.\d{1,3}|\d{1,15})|"(?:[ !#-[\]-~]|\\["\\])*"|[A-Za-z*][\w!#$%&'*+.^`|~:/-]*|:[A-Za-z0-9+/]*={0,2}:|\?[01]|@-?\d{1,15}|%"(?:[ !#$&-~]|%[0-9a-f]{2})*"))?/y;

/** The string in an item; `undefined` if it is not a string. Parameters must be well formed, but are ignored (§3.1.2). */
export function parseStringItem(text: string): string | undefined {
  const end = endOf(STRING, text, 0);
  let at = end;
  while (at && at < text.length) at = endOf(PARAMETER, text, at);
  return at && end ? text.slice(1, end - 1).replace(/\\(.)/g, "$1") : undefined;
}

/** The end of a sticky pattern's match at `start`; 0 if there is none. */
function endOf(pattern: typeof STRING, text: string, start: number): number {
  pattern.lastIndex = start;
  pattern.test(text);
  return pattern.lastIndex;
}
