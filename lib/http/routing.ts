/** Finds the route for a target by comparing strings, because `new URL` alone would cost a tenth of a whole answer. */

import { decodePercent } from "./query.ts";

/** A path template that may end in one parameter (`/pets/{petId}`). */
export interface Route {
  path: string;
}

/** A matching route, and its parameter (`""` if it has none). */
export interface Match<R extends Route> {
  route: R;
  parameter: string;
}

/** Finds the route for a path. */
export type Router<R extends Route> = (path: string) => Match<R> | undefined;

/** The path and query of a URL; `""` if it has no path. */
export function targetOf(url: string): string {
  const colon = url.indexOf("://");
  // On Bun, the URL is only a path if the Host header is invalid.
  if (colon < 0 || url.startsWith("/")) return "";
  const start = url.indexOf("/", colon + 3);
  const question = url.indexOf("?");
  const fragment = url.indexOf("#");
  // A slash after a question mark belongs to the query.
  if (start < 0 || (question >= 0 && question < start) || (fragment >= 0 && fragment < start)) return "";
  return fragment < 0 ? url.slice(start) : url.slice(start, fragment);
}

/** Splits a target into the path and the query, which loses its question mark. */
export function splitTarget(target: string): { path: string; query: string } {
  const question = target.indexOf("?");
  if (question < 0) return { path: target, query: "" };
  return { path: target.slice(0, question), query: target.slice(question + 1) };
}

/** Creates a router for routes below `basePath`. */
export function createRouter<R extends Route>(basePath: string, routes: readonly R[]): Router<R> {
  const fixed = new Map<string, Match<R>>();
  const open: { prefix: string; route: R }[] = [];
  const slashes = Math.max(...routes.map(({ path }) => countSlashes(basePath + path, Infinity)));
  for (const route of routes) {
    const brace = route.path.indexOf("{");
    if (brace < 0) fixed.set(basePath + route.path, { route, parameter: "" });
    else open.push({ prefix: basePath + route.path.slice(0, brace), route });
  }

  function match(path: string): Match<R> | undefined {
    const found = fixed.get(path);
    if (found) return found;
    for (const { prefix, route } of open) {
      if (path.length > prefix.length && path.startsWith(prefix) && !path.includes("/", prefix.length)) {
        return { route, parameter: path.slice(prefix.length) };
      }
    }
    return undefined;
  }

  return (path) => {
    if (!path.includes("%")) return match(path);
    const plain = unescapePath(path, slashes);
    return plain === undefined ? undefined : match(plain);
  };
}

/**
 * Decodes percent-encoding in a path (RFC 3986 §6.2.2.2), except in a segment that is malformed or has an encoded slash.
 * Returns `undefined` if there are more slashes than in any route: each malformed segment costs an exception.
 */
function unescapePath(path: string, maxSlashes: number): string | undefined {
  if (countSlashes(path, maxSlashes + 1) > maxSlashes) return undefined;
  return path.split("/").map((segment) => {
    const decoded = segment.includes("%") ? decodePercent(segment) : segment;
    return decoded === undefined || decoded.includes("/") ? segment : decoded;
  }).join("/");
}

/** Counts slashes, up to `enough`. */
function countSlashes(path: string, enough: number): number {
  let count = 0;
  for (let at = path.indexOf("/"); at >= 0 && count < enough; at = path.indexOf("/", at + 1)) count++;
  return count;
}
