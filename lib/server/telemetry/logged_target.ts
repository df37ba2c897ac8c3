/** Formats a request's target and method for logs: the parts that the service knows, and nothing else that a client wrote. */

import { splitTarget } from "../../http/request_text.ts";
import { LIMIT, parseCursor } from "../../operations/paging.ts";
import { OPERATIONS } from "../../operations/table.ts";
import { isPetStatus, parsePetId } from "../../pet.ts";

/** What stands in place of a hidden text. */
export const HIDDEN = "…";

/** The methods of RFC 9110 and RFC 5789. HTTP allows any other word, which may be a key. */
export const METHODS: ReadonlySet<string> = new Set(
  ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"],
);

/** The segments of paths, also of those that match no route: requests that are refused early have none. */
const SEGMENTS = new Set(["v1", "docs", "livez", "readyz", "reset", "openapi.json"].concat(
  ...OPERATIONS.map(({ path }) => path.split("/")),
));

/** The longest part of a path or a query that is read. Otherwise a client could fill the log with targets of 64 KB. */
const MAX_READ = 200;

/** The parameters, each with the values that are shown. */
const PARAMETERS: Readonly<Record<string, (value: string) => boolean>> = {
  limit: (value) => /^[1-9]\d{0,2}$/.test(value) && Number(value) <= LIMIT.maximum,
  status: isPetStatus,
  cursor: (value) => parseCursor(value) !== undefined,
  writes: (value) => value === "",
  samples: (value) => value === "",
};

export function loggedMethod(method: string): string {
  return METHODS.has(method) ? method : HIDDEN;
}

/**
 * The path and query of a URL, without what may be a key, whole or in pieces: some clients put one into a URL (RFC 6750 §2.3).
 *
 * @param route The path of the operation, if one was found.
 */
export function loggedTarget(target: string, route?: string): string {
  const { path, query } = splitTarget(target);
  const shown = route === undefined || route.includes("{") ? loggedPath(path) : route;
  return query === "" ? shown : `${shown}?${loggedQuery(query)}`;
}

/** The path up to its first unknown segment, which may be a key. */
function loggedPath(path: string): string {
  if (path.length > MAX_READ) return `/${HIDDEN}`;
  const segments = path.split("/");
  const isKnown = (segment: string, i: number) =>
    SEGMENTS.has(segment) || (segments[i - 1] === "pets" && parsePetId(segment) !== undefined);
  const end = segments.findIndex((segment, i) => !isKnown(segment, i));
  return end < 0 ? path : [...segments.slice(0, end), HIDDEN].join("/");
}

function loggedQuery(query: string): string {
  const parameters = query.slice(0, MAX_READ).split("&").map((parameter) => {
    const [name = ""] = parameter.split("=", 1);
    if (!Object.hasOwn(PARAMETERS, name)) return HIDDEN;
    const value = parameter.slice(name.length + 1);
    return PARAMETERS[name]!(value) ? parameter : `${name}=${HIDDEN}`;
  });
  // The last one may be the beginning of a longer one.
  if (query.length > MAX_READ) parameters.splice(-1, 1, HIDDEN);
  return parameters.join("&");
}
