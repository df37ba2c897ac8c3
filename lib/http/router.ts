import { excerpt } from "../json.ts";
import type { Handler, Operation } from "./operation.ts";
import { Problem } from "./problem.ts";
import { decodePercent } from "./query.ts";
import type { Reply } from "./reply.ts";
import { splitTarget } from "./target.ts";

interface Route {
  path: string;
  /** A map: an object has members such as `constructor`. */
  operations: ReadonlyMap<string, Operation>;
  /** Answers other methods. */
  fallback: Operation;
}

export interface Match {
  route: Route;
  operation: Operation;
  /** Without the question mark. */
  query: string;
  parameter: string;
}

export type Router = (method: string, target: string) => Match | undefined;

/** Compares strings, because `new URL` is slow. */
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
  // A path is deprecated if all its operations are. Its own responses write nothing.
  const shared: Operation = {
    ...first,
    effect: "reads",
    access: own.every(({ access }) => access === "public") ? "public" : "key",
    fields: own.every(({ fields }) => fields) ? first.fields : undefined,
  };
  const options: Reply = { status: 204, headers: allow, body: null };
  operations.set("OPTIONS", { ...shared, handler: () => options });
  const refuse: Handler = ({ context: { method } }) =>
    new Problem(405, "method_not_allowed", `Method ${excerpt(method)} is not allowed here`, allow);
  return { path, operations, fallback: { ...shared, handler: refuse } };
}

/**
 * Decodes a path (RFC 3986 §6.2.2.2), except malformed segments and encoded slashes. Long paths stay as they are,
 * because each malformed segment costs an exception.
 */
function unescapePath(path: string, maxSegments: number): string {
  const segments = path.split("/", maxSegments + 1);
  if (segments.length > maxSegments) return path;
  return segments.map((segment) => {
    const decoded = decodePercent(segment);
    return decoded === undefined || decoded.includes("/") ? segment : decoded;
  }).join("/");
}
