/** Reads query strings. `URLSearchParams` would cost an object and a parse even for an empty query. */

const AMPERSAND = 0x26, EQUALS = 0x3d, PERCENT = 0x25;

/**
 * The values of a parameter, for {@link decodeQuery}. It decodes nothing: a query may contain thousands of malformed names, and
 * for each of them decoding would throw an exception, which costs as much as a hundred successes.
 *
 * @param query Without the question mark.
 * @param name One or more unreserved characters (RFC 3986 §2.3).
 */
export function queryValues(query: string, name: string): string[] {
  const found: string[] = [];
  for (let start = 0; start < query.length;) {
    const nameEnd = skipName(query, start, name);
    const next = query.indexOf("&", nameEnd ?? start);
    const end = next < 0 ? query.length : next;
    if (nameEnd !== undefined) found.push(query.slice(nameEnd + 1, end));
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

/** Decodes `application/x-www-form-urlencoded`, where `+` is a space; `undefined` if the text is malformed. */
export function decodeQuery(text: string): string | undefined {
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
