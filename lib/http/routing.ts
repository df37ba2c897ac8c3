/** From a request's URL to a route: by comparing strings, since `new URL` alone costs a tenth of a whole answer. */

import { decodePercent } from "./query.ts";

/** A path template that may end in one parameter (`/pets/{petId}`), and whatever belongs to it. */
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

/** The two parts of a URL that routing needs: the path with its slash, and the query without its question mark. */
export interface Target {
  path: string;
  query: string;
}

/** Takes a URL apart. Anything that has no path in the usual place gets the path `""`, which no route has. */
export function splitUrl(url: string): Target {
  const authority = url.indexOf("://") + 3;
  const start = authority < 3 ? -1 : url.indexOf("/", authority);
  const fragment = url.indexOf("#", authority);
  const end = fragment < 0 ? url.length : fragment;
  const question = url.indexOf("?", authority);
  const pathEnd = question < 0 || question > end ? end : question;
  if (start < 0 || start > pathEnd) return { path: "", query: "" };
  return { path: url.slice(start, pathEnd), query: url.slice(pathEnd + 1, end) };
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
 * The path without escapes: they change nothing about what it means (RFC 3986 §6.2.2.2), except for that of a slash, which
 * stays data. `undefined` for a path that has more slashes than any route: each part of it that cannot be decoded would
 * cost an exception, and thousands fit into one path.
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
