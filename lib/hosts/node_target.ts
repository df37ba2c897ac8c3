/**
 * The target of a request of `node:http`. The URL parser would change some targets, and then the
 * service would see another path than a proxy in front, which may have checked it. So such a path
 * is written in a form that the parser leaves alone.
 */

import type { NodeRequest } from "./node_types.ts";

/**
 * The target as it was sent, except that each backslash of its path is encoded, because the URL
 * parser would make a slash of it. Routers that strip a prefix from `url` keep it in `originalUrl`.
 */
export function targetAsSent({ originalUrl, url = "/" }: NodeRequest): string {
  const target = originalUrl ?? url;
  if (!target.includes("\\")) return target;
  return target.replace(PATH, (path) => path.replaceAll("\\", "%5C"));
}

/**
 * The path and the query of a target that {@link targetAsSent} has given:
 *
 * | target as sent                | path and query            |
 * | ----------------------------- | ------------------------- |
 * | `/v1/pets?limit=2`            | `/v1/pets?limit=2`        |
 * | `http://a.example/v1/pets`    | `/v1/pets`                |
 * | `/a b`                        | `/a%20b`                  |
 * | `/a\b`                        | `/a%5Cb`                  |
 * | `/a/../b` and `/a/%2e%2E/b`   | `/a/%252e%252e/b`         |
 * | `/b?x=/../`                   | `/b?x=/../`               |
 * | `*` and `a.example:443`       | `""`, as they have none   |
 */
export function pathAndQueryOf(target: string): string {
  if (target.startsWith("/") && !CHANGED_BY_PARSER.test(target)) return target;
  const kept = target.replace(PATH, keepSegments);
  const url = kept.startsWith("/") ? `http://localhost${kept}` : kept;
  // `*` and `host:port` (RFC 9112 §3.2) are no such URLs.
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return "";
  const { pathname, search } = new URL(url);
  return pathname + search;
}

const PATH = /^[^?#]*/;

/** What the URL parser would change in a target: odd characters and dot segments (WHATWG URL §4.4). */
const CHANGED_BY_PARSER = /[^!-~]|["#<>\\^`{|}]|\/(\.|%2e)/i;

/** A dot segment, which the URL parser would resolve. */
const DOT_SEGMENT = /(?<=\/)(\.|%2e){1,2}(?=\/|$)/gi;

/** Keeps the URL parser from changing the segments of a path. It still encodes odd characters. */
function keepSegments(path: string): string {
  // The parser would drop tabs and line ends, and then might find a dot segment.
  const withoutBreaks = path.replace(/[\t\n\r]/g, encodeURIComponent);
  // The parser also resolves `%2e`, so its percent sign is encoded too. A router then decodes
  // `%252e` to `%2e`, which no route has.
  return withoutBreaks.replace(DOT_SEGMENT, (segment) => segment.replace(/\.|%2e/gi, "%252e"));
}
