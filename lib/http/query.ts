/** Query strings without `URLSearchParams`, which costs an object and a parse even where there is no query. */

/** What is wrong with a parameter. */
export type QueryFault = "given more than once" | "not decodable";

/** A parameter's only value; `undefined` if it is not there, or a {@link QueryFault} behind `fault`. */
export interface QueryValue {
  value: string | undefined;
  fault: QueryFault | undefined;
}

const ABSENT: QueryValue = { value: undefined, fault: undefined };
const REPEATED: QueryValue = { value: undefined, fault: "given more than once" };
const NOT_DECODABLE: QueryValue = { value: undefined, fault: "not decodable" };

const EQUALS = 0x3d;

/**
 * Looks up one parameter.
 *
 * @param query The query component, without its question mark.
 * @param name A name of unreserved characters.
 */
export function queryValue(query: string, name: string): QueryValue {
  let found = ABSENT;
  for (let start = 0; start < query.length;) {
    const next = query.indexOf("&", start);
    const end = next < 0 ? query.length : next;
    // Not indexOf(): of a thousand parameters without a value, each would be searched to the end of the query.
    let nameEnd = start;
    while (nameEnd < end && query.charCodeAt(nameEnd) !== EQUALS) nameEnd++;
    if (isName(query, start, nameEnd, name)) {
      if (found !== ABSENT) return REPEATED;
      const value = decode(query.slice(nameEnd + 1, end));
      found = value === undefined ? NOT_DECODABLE : { value, fault: undefined };
    }
    start = end + 1;
  }
  return found;
}

function isName(query: string, start: number, end: number, name: string): boolean {
  if (end - start === name.length) return query.startsWith(name, start);
  return end - start > name.length && decode(query.slice(start, end)) === name;
}

/** A value of `application/x-www-form-urlencoded`: `+` is a space. */
function decode(text: string): string | undefined {
  if (!text.includes("%") && !text.includes("+")) return text;
  return decodePercent(text.replaceAll("+", " "));
}

/** Percent-decoding as UTF-8, or `undefined` if there is no such text. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
