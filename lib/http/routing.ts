/** From a request's target to a route: by comparing strings, since `new URL` alone costs a tenth of a whole answer. */

import { decodePercent } from "./query.ts";

/** A path template that may end in one parameter (`/pets/{petId}`). */
export interface Route {
  path: string;
}

/** A route that a path leads to, and its parameter (`""` where it has none). */
export interface Match<R extends Route> {
  route: R;
  parameter: string;
}

/** Finds the route for a path, or nothing. */
export type Router<R extends Route> = (path: string) => Match<R> | undefined;

/** The target of a URL: its path and query without the fragment; `""` if it has no path. */
export function targetOf(url: string): string {
  const colon = url.indexOf("://");
  // Bun gives the path alone if the Host header is not a host.
  if (colon < 0 || url.startsWith("/")) return "";
  const start = url.indexOf("/", colon + 3);
  const question = url.indexOf("?");
  const fragment = url.indexOf("#");
  // A slash after a question mark belongs to the query.
  if (start < 0 || (question >= 0 && question < start) || (fragment >= 0 && fragment < start)) return "";
  return fragment < 0 ? url.slice(start) : url.slice(start, fragment);
}

/** The two parts of a target: the path with its slash, and the query without its question mark. */
export function splitTarget(target: string): { path: string; query: string } {
  const question = target.indexOf("?");
  if (question < 0) return { path: target, query: "" };
  return { path: target.slice(0, question), query: target.slice(question + 1) };
}

/** Makes a router for a table of routes, all below `basePath`. */
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
 * The path without percent-encoding, which changes nothing about its meaning (RFC 3986 §6.2.2.2). An encoded slash stays
 * data. `undefined` for a path with more slashes than any route: each segment that cannot be decoded costs an exception,
 * and thousands fit into one path.
 */
function unescapePath(path: string, maxSlashes: number): string | undefined {
  if (countSlashes(path, maxSlashes + 1) > maxSlashes) return undefined;
  return path.split("/").map((segment) => {
    const decoded = segment.includes("%") ? decodePercent(segment) : segment;
    return decoded === undefined || decoded.includes("/") ? segment : decoded;
  }).join("/");
}

/** How many slashes a path has, counted no further than `enough`. */
function countSlashes(path: string, enough: number): number {
  let count = 0;
  for (let at = path.indexOf("/"); at >= 0 && count < enough; at = path.indexOf("/", at + 1)) count++;
  return count;
}
