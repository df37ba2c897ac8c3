import { excerpt } from "../excerpt.ts";
import type { Operation } from "./operation.ts";
import { Problem } from "./problem.ts";
import type { Reply } from "./reply.ts";
import { splitTarget } from "./request_text.ts";

/**
 * What answers a request: an operation of its path, or the fallback of the path. The method of the
 * request is known by then.
 */
export type MatchedOperation = Omit<Operation, "method">;

/** A path of the service, with its operations. */
interface Route {
  path: string;
  /** The path up to its parameter, or all of it. A path has at most one parameter, as its last segment. */
  prefix: string;
  hasParameter: boolean;
  operations: readonly Operation[];
  /** Answers the methods for which the path has no operation: OPTIONS by 204, and others by 405. */
  fallback: MatchedOperation;
}

export interface Match {
  route: Route;
  operation: MatchedOperation;
  /** The query without its question mark, or "". */
  query: string;
  /**
   * The last segment, if the path ends in a parameter, otherwise `""`. Its escaped ASCII is
   * decoded, except slashes.
   */
  parameter: string;
}

/** Finds the operation of a request. It is undefined if the service has no such path. */
export type Router = (method: string, target: string) => Match | undefined;

/**
 * An escape sequence of ASCII, from `%00` to `%7F`, except `%2F` for the slash. `/v1/%70ets` is the
 * same path as `/v1/pets` (RFC 3986 §6.2.2.1), but `%2F` is a part of a segment (§2.2). Characters
 * beyond ASCII take several escape sequences; no path of a service has one.
 */
const ESCAPE = /%([013-7][0-9a-f]|2[0-9a-e])/gi;

/** For speed, a router compares strings: it makes no `URL` of a target, and has no map, because there are few paths. */
export function createRouter(operations: readonly Operation[]): Router {
  const paths = new Set(operations.map(({ path }) => path));
  const routes = Array.from(paths, (path) => createRoute(path, operations.filter((each) => each.path === path)));
  const fixedRoutes = routes.filter(({ hasParameter }) => !hasParameter);
  const parameterRoutes = routes.filter(({ hasParameter }) => hasParameter);

  return (method, target) => {
    const { path: givenPath, query } = splitTarget(target);
    const path = givenPath.includes("%") ? givenPath.replace(ESCAPE, decodeURIComponent) : givenPath;
    const route = fixedRoutes.find(({ prefix }) => path === prefix) ??
      parameterRoutes.find(({ prefix }) => isOneSegmentBelow(path, prefix));
    if (!route) return undefined;
    const wanted = method === "HEAD" ? "GET" : method;
    const operation = route.operations.find((each) => each.method === wanted) ?? route.fallback;
    return { route, operation, query, parameter: path.slice(route.prefix.length) };
  };
}

/** @param path The path of the operations, such as `/v1/pets/{petId}`. */
function createRoute(path: string, operations: readonly Operation[]): Route {
  const [prefix = "", parameter] = path.split("{");
  return {
    path,
    prefix,
    hasParameter: parameter !== undefined,
    operations,
    fallback: createFallback(path, operations),
  };
}

/** Makes the answer to the methods for which a path has no operation. */
function createFallback(path: string, operations: readonly Operation[]): MatchedOperation {
  const methods = [...methodsOf(operations), "OPTIONS"].join(", ");
  const allow = { allow: methods };
  const optionsReply: Reply = { status: 204, headers: allow, body: null };
  const isPublic = operations.every(({ access }) => access === "public");
  // Fields such as `Deprecation` are added to these responses too if all operations of the path
  // have them. They have the same ones then.
  const haveFields = operations.every(({ fields }) => fields !== undefined);
  return {
    path,
    access: isPublic ? "public" : "key",
    // Neither 204 nor 405 changes a pet, so a caller that may only read gets them.
    effect: "reads",
    fields: haveFields ? operations[0]?.fields : undefined,
    handler: ({ context: { method } }) => {
      if (method === "OPTIONS") return optionsReply;
      const message = `Method ${excerpt(method)} is not allowed here; allowed are ${methods}`;
      return new Problem(405, "method_not_allowed", message, allow);
    },
  };
}

/** The methods of operations. Where there is GET, there is HEAD. */
export function methodsOf(operations: readonly Pick<Operation, "method">[]): string[] {
  return operations.flatMap(({ method }) => method === "GET" ? [method, "HEAD"] : [method]);
}

function isOneSegmentBelow(path: string, prefix: string): boolean {
  return path.length > prefix.length && path.startsWith(prefix) && path.indexOf("/", prefix.length) < 0;
}
