/** Reads query strings. `URLSearchParams` would cost an object and a parse even for an empty query. */

export type QueryFault = "given more than once" | "not decodable";

/** The value of a parameter: `undefined` if the parameter is absent or has a `fault`. */
export interface QueryValue {
  value: string | undefined;
  fault: QueryFault | undefined;
}

const ABSENT: QueryValue = { value: undefined, fault: undefined };
const REPEATED: QueryValue = { value: undefined, fault: "given more than once" };
const NOT_DECODABLE: QueryValue = { value: undefined, fault: "not decodable" };

const AMPERSAND = 0x26, EQUALS = 0x3d, PERCENT = 0x25;

/**
 * Looks up one parameter. It decodes only that parameter's value: a query may contain thousands of malformed names, and for
 * each of them decoding would throw an exception, which costs as much as a hundred successes.
 *
 * @param query Without the question mark.
 * @param name One or more unreserved characters (RFC 3986 §2.3).
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

/** The end of the name at `i`, if it is `name`, percent-encoded or not (RFC 3986 §6.2.2.2). */
function skipName(query: string, i: number, name: string): number | undefined {
  for (let k = 0; k < name.length; k++) {
    const wanted = name.charCodeAt(k), unit = query.charCodeAt(i);
    if (unit === wanted) i++;
    // A letter takes two digits, so a part of them that parseInt() skips or leaves out makes no letter.
    else if (unit === PERCENT && parseInt(query.slice(i + 1, i + 3), 16) === wanted) i += 3;
    else return undefined;
  }
  const end = query.charCodeAt(i);
  return i >= query.length || end === EQUALS || end === AMPERSAND ? i : undefined;
}

/** Decodes `application/x-www-form-urlencoded`, where `+` is a space. */
function decode(text: string): string | undefined {
  if (!text.includes("%") && !text.includes("+")) return text;
  return decodePercent(text.replaceAll("+", " "));
}

/** Decodes percent-encoded UTF-8; `undefined` if the text is malformed. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
