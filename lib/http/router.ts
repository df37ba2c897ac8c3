/** Finds the operation of a request by its path and method. */

import { excerpt } from "../json.ts";
import type { Handler, Operation } from "./operation.ts";
import { Problem } from "./problem.ts";
import { decodePercent } from "./query.ts";
import type { Reply } from "./reply.ts";
import { splitTarget } from "./target.ts";

/** A path and its operations by method, HEAD and OPTIONS included. */
interface Route {
  path: string;
  /** A map, because an object has members such as `constructor`. */
  operations: ReadonlyMap<string, Operation>;
  /** Answers methods that the path does not have. */
  fallback: Operation;
}

/** Where a request leads. */
export interface Match {
  route: Route;
  operation: Operation;
  /** Without the question mark. */
  query: string;
  parameter: string;
}

/** Finds the operation of a method and a target. */
export type Router = (method: string, target: string) => Match | undefined;

/** Creates a router, which compares strings: `new URL` alone would cost a tenth of a whole response. */
export function createRouter(operations: readonly Operation[]): Router {
  /** Compared one after the other: most have another length, and a map would need the hash of the path. */
  const fixed: Route[] = [];
  const open: { prefix: string; route: Route }[] = [];
  let segments = 0;
  for (const path of new Set(operations.map(({ path }) => path))) {
    const route = createRoute(path, operations.filter((operation) => operation.path === path));
    const brace = path.indexOf("{");
    if (brace < 0) fixed.push(route);
    else open.push({ prefix: path.slice(0, brace), route });
    segments = Math.max(segments, path.split("/").length);
  }

  return (method, target) => {
    const { path: given, query } = splitTarget(target);
    const path = given.includes("%") ? unescapePath(given, segments) : given;
    let route = fixed.find((route) => route.path === path), parameter = "";
    if (!route) {
      const found = open.find(({ prefix }) => path.startsWith(prefix) && path.indexOf("/", prefix.length) < 0);
      parameter = path.slice(found?.prefix.length);
      if (parameter !== "") route = found?.route;
    }
    return route && { route, operation: route.operations.get(method) ?? route.fallback, query, parameter };
  };
}

function createRoute(path: string, own: readonly Operation[]): Route {
  const operations = new Map<string, Operation>();
  for (const operation of own) {
    operations.set(operation.method, operation);
    if (operation.method === "GET") operations.set("HEAD", operation);
  }
  const allow = { allow: [...operations.keys(), "OPTIONS"].join(", ") };
  const first = own[0]!;
  // The path announces a deprecation if all its operations do. Its own responses write nothing.
  const shared: Operation = {
    ...first,
    effect: "reads",
    access: own.every(({ access }) => access === "public") ? "public" : "read",
    fields: own.every(({ fields }) => fields) ? first.fields : undefined,
  };
  const options: Reply = { status: 204, headers: allow, body: null };
  operations.set("OPTIONS", { ...shared, handler: () => options });
  const refuse: Handler = ({ context: { method } }) =>
    new Problem(405, "method_not_allowed", `Method ${excerpt(method)} is not allowed here`, allow);
  return { path, operations, fallback: { ...shared, handler: refuse } };
}

/**
 * Decodes percent-encoding in a path (RFC 3986 §6.2.2.2), except in a segment that is malformed or has an encoded slash.
 * A path with more segments than any route stays as it is: each malformed segment costs an exception.
 */
function unescapePath(path: string, maxSegments: number): string {
  const segments = path.split("/", maxSegments + 1);
  if (segments.length > maxSegments) return path;
  return segments.map((segment) => {
    const decoded = decodePercent(segment);
    return decoded === undefined || decoded.includes("/") ? segment : decoded;
  }).join("/");
}
