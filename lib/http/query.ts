/** Query strings without `URLSearchParams`, which costs an object and a parse even for an empty query. */

import { isDigit } from "../json.ts";

/** The fault of a parameter. */
export type QueryFault = "given more than once" | "not decodable";

/** A parameter's only value. `undefined` if the parameter is absent or has a `fault`. */
export interface QueryValue {
  value: string | undefined;
  fault: QueryFault | undefined;
}

const ABSENT: QueryValue = { value: undefined, fault: undefined };
const REPEATED: QueryValue = { value: undefined, fault: "given more than once" };
const NOT_DECODABLE: QueryValue = { value: undefined, fault: "not decodable" };

const AMPERSAND = 0x26, EQUALS = 0x3d, PERCENT = 0x25;

/**
 * Looks up one parameter. Nothing is decoded but its own value: a query may have thousands of names that cannot be, and
 * the exception that each would throw costs as much as a hundred honest ones.
 *
 * @param query The query component, without its question mark.
 * @param name A name of unreserved characters, at least one of them.
 */
export function queryValue(query: string, name: string): QueryValue {
  let found = ABSENT;
  for (let start = 0; start < query.length;) {
    const nameEnd = skipName(query, start, name);
    const next = query.indexOf("&", nameEnd ?? start);
    const end = next < 0 ? query.length : next;
    if (nameEnd !== undefined) {
      if (found !== ABSENT) return REPEATED;
      const value = decode(query.slice(nameEnd + 1, end));
      found = value === undefined ? NOT_DECODABLE : { value, fault: undefined };
    }
    start = end + 1;
  }
  return found;
}

/** Where the name of the parameter at `i` ends, if it is this one, escaped or not (RFC 3986 §6.2.2.2). */
function skipName(query: string, i: number, name: string): number | undefined {
  for (let k = 0; k < name.length; k++) {
    const wanted = name.charCodeAt(k), unit = query.charCodeAt(i);
    if (unit === wanted) i++;
    else if (unit === PERCENT && 16 * hexDigit(query, i + 1) + hexDigit(query, i + 2) === wanted) i += 3;
    else return undefined;
  }
  const end = query.charCodeAt(i);
  return i >= query.length || end === EQUALS || end === AMPERSAND ? i : undefined;
}

/** The value of a hexadecimal digit, or NaN. */
function hexDigit(text: string, i: number): number {
  const unit = text.charCodeAt(i);
  if (isDigit(unit)) return unit - 0x30;
  // A bit tells capitals from small letters.
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NaN;
}

/** A value of `application/x-www-form-urlencoded`: `+` is a space. */
function decode(text: string): string | undefined {
  if (!text.includes("%") && !text.includes("+")) return text;
  return decodePercent(text.replaceAll("+", " "));
}

/** Percent-decoding as UTF-8; `undefined` if the text cannot be decoded. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
