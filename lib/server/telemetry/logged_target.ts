/**
 * Formats a request's target and method for logs: the parts that the service knows, and nothing
 * else that a client wrote.
 */

import { splitTarget } from "../../http/request_text.ts";
import { parseCursor } from "../../operations/paging.ts";
import { OPERATIONS } from "../../operations/table.ts";
import { isPetStatus, parsePetId } from "../../pet.ts";

/** What stands in place of a hidden text. */
const HIDDEN = "…";

/** The methods of RFC 9110 and RFC 5789, which are shown. HTTP allows any other word, which may be a key. */
export const METHODS: ReadonlySet<string> = new Set(
  ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"],
);

/**
 * The segments of paths that are shown: those of the paths of the server itself and of the default
 * base path, and those of the operations. They are known one by one, because a request that is
 * refused early has no route.
 */
const SEGMENTS = new Set([
  "v1",
  "docs",
  "livez",
  "readyz",
  "reset",
  "openapi.json",
  ...OPERATIONS.flatMap(({ path }) => path.split("/")),
]);

/** A longer target is hidden: a client could fill the log with targets of 64 KB. */
const MAX_SHOWN = 200;

/** The parameters that are shown, each with the test of a value that is shown too. */
const PARAMETERS: Readonly<Record<string, (value: string) => boolean>> = {
  limit: (value) => /^\d{1,3}$/.test(value),
  status: isPetStatus,
  cursor: (value) => parseCursor(value) !== undefined,
  writes: (value) => value === "",
  samples: (value) => value === "",
};

export function loggedMethod(method: string): string {
  return METHODS.has(method) ? method : HIDDEN;
}

/**
 * The path and query of a URL, without what may be a key, whole or in pieces: some clients put one
 * into a URL (RFC 6750 §2.3).
 *
 * @param route The path of the operation, if one was found.
 */
export function loggedTarget(target: string, route?: string): string {
  if (target.length > MAX_SHOWN) return `/${HIDDEN}`;
  const { path, query } = splitTarget(target);
  // A route without a parameter is the path itself.
  const shown = route === undefined || route.includes("{") ? loggedPath(path) : route;
  return query === "" ? shown : `${shown}?${loggedQuery(query)}`;
}

/** The path up to its first unknown segment, which may be a key. */
function loggedPath(path: string): string {
  const segments = path.split("/");
  const firstUnknown = segments.findIndex((segment, i) => {
    const isPetId = segments[i - 1] === "pets" && parsePetId(segment) !== undefined;
    return !isPetId && !SEGMENTS.has(segment);
  });
  return firstUnknown < 0 ? path : [...segments.slice(0, firstUnknown), HIDDEN].join("/");
}

function loggedQuery(query: string): string {
  const parameters = query.split("&").map((parameter) => {
    const [name = ""] = parameter.split("=", 1);
    if (!Object.hasOwn(PARAMETERS, name)) return HIDDEN;
    const value = parameter.slice(name.length + 1);
    return PARAMETERS[name]!(value) ? parameter : `${name}=${HIDDEN}`;
  });
  return parameters.join("&");
}
