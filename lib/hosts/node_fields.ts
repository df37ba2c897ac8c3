/** What the head of a request of `node:http` says: its target, as the client sent it, and its fields. */

import type { NodeRequest } from "./node_types.ts";

/**
 * The target as it was sent, except that each backslash of its path is encoded. Routers that strip a prefix from `url` keep it in
 * `originalUrl`.
 */
export function targetAsSent({ originalUrl, url = "/" }: NodeRequest): string {
  const target = originalUrl ?? url;
  if (!target.includes("\\")) return target;
  // The URL parser would make a slash of a backslash, and then see another path than a proxy in front.
  return target.replace(/^[^?#]*/, (path) => path.replaceAll("\\", "%5C"));
}

/** What the URL parser would change in a target: odd characters and dot segments (WHATWG URL §4.4). */
const NOT_NORMAL = /[^!-~]|["#<>\\^`{|}]|\/(\.|%2e)/i;

/** A dot segment. The URL parser would resolve it, and then see another path than a proxy in front. */
const DOT_SEGMENT = /(?<=\/)(\.|%2e){1,2}(?=\/|$)/gi;

/**
 * The path and the query of a target as the URL parser writes them, or `""` if it has none. Dot segments are encoded twice, so that nothing
 * resolves them.
 */
export function pathAndQueryOf(target: string): string {
  if (target.startsWith("/") && !NOT_NORMAL.test(target)) return target;
  const kept = target.replace(
    /^[^?#]*/,
    // The parser would drop tabs and line ends, and then might find a dot segment.
    (path) => path.replace(/[\t\n\r]/g, encodeURIComponent).replace(DOT_SEGMENT, encodeDots),
  );
  const whole = kept.startsWith("/") ? `http://localhost${kept}` : kept;
  // `*` and `host:port` (RFC 9112 §3.2) have no path.
  if (!/^https?:/i.test(whole) || !URL.canParse(whole)) return "";
  const { pathname, search } = new URL(whole);
  return pathname + search;
}

function encodeDots(segment: string): string {
  return segment.replace(/\.|%2e/gi, "%252e");
}

/** The value of a field, or null. It is not taken from `headers`, where Node drops some repeated fields. */
export function fieldOf(incoming: NodeRequest, name: string): string | null {
  const fields = namesAndValues(incoming);
  let value: string | null = null;
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const field = fields[i]!;
    if (field.length !== name.length || (field !== name && field.toLowerCase() !== name)) continue;
    value = value === null ? fields[i + 1]! : `${value}, ${fields[i + 1]}`;
  }
  return value;
}

/** The names and the values of the fields, in turn. Requests without a socket, as on serverless-http, have `headers` alone. */
export function namesAndValues({ rawHeaders, headers }: NodeRequest): readonly string[] {
  if (rawHeaders?.length > 0) return rawHeaders;
  return Object.entries(headers).flatMap(([name, value]) => value === undefined ? [] : [name, String(value)]);
}
