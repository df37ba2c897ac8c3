import { excerpt } from "../json.ts";
import type { Operation } from "./operation.ts";
import { Problem } from "./problem.ts";
import type { Reply } from "./reply.ts";
import { splitTarget } from "./request_text.ts";

/** A path of the service, with its operations. */
interface Route {
  path: string;
  /** The path up to its parameter, or all of it. */
  prefix: string;
  operations: readonly Operation[];
  /** Answers the methods for which the path has no operation: OPTIONS by 204, and others by 405. */
  fallback: Operation;
}

export interface Match {
  route: Route;
  operation: Operation;
  /** The query without its question mark, or "". */
  query: string;
  parameter: string;
}

export type Router = (method: string, target: string) => Match | undefined;

/** An escape sequence of ASCII, except the slash: `%2F` is a part of a segment (RFC 3986 §6.2.2.2). */
const ESCAPE = /%([013-7][0-9a-f]|2[0-9a-e])/gi;

/** Finds the operation for a method and a target, by comparing strings, because `new URL` is slow. */
export function createRouter(operations: readonly Operation[]): Router {
  const all = Array.from(new Set(operations.map(({ path }) => path)), (path) => {
    return createRoute(path, operations.filter((operation) => operation.path === path));
  });
  // There are few routes. A map would need the hash of each path that comes.
  const fixed = all.filter(({ path, prefix }) => path === prefix), open = all.filter((route) => !fixed.includes(route));

  return (method, target) => {
    const { path: given, query } = splitTarget(target);
    const path = given.includes("%") ? given.replace(ESCAPE, decodeURIComponent) : given;
    const route = fixed.find(({ prefix }) => path === prefix) ??
      open.find(({ prefix: { length }, prefix }) => {
        return path.length > length && path.startsWith(prefix) && path.indexOf("/", length) < 0;
      });
    if (!route) return undefined;
    const { prefix, operations, fallback } = route;
    const wanted = method === "HEAD" ? "GET" : method;
    const operation = operations.find((each) => each.method === wanted) ?? fallback;
    return { route, operation, query, parameter: path.slice(prefix.length) };
  };
}

/** The methods of operations. Where there is GET, there is HEAD. */
export function methodsOf(operations: readonly Pick<Operation, "method">[]): string[] {
  return operations.flatMap(({ method }) => method === "GET" ? [method, "HEAD"] : [method]);
}

function createRoute(path: string, operations: readonly Operation[]): Route {
  const methods = [...methodsOf(operations), "OPTIONS"].join(", ");
  const allow = { allow: methods };
  const options: Reply = { status: 204, headers: allow, body: null };
  const [first] = operations as [Operation];
  // A path is deprecated if all its operations are. The responses of the path itself write nothing, so their effect is to read.
  const fallback: Operation = {
    ...first,
    effect: "reads",
    access: operations.every(({ access }) => access === "public") ? "public" : "key",
    fields: operations.every(({ fields }) => fields) ? first.fields : undefined,
    handler: ({ context: { method } }) => {
      if (method === "OPTIONS") return options;
      return new Problem(
        405,
        "method_not_allowed",
        `Method ${excerpt(method)} is not allowed here; allowed are ${methods}`,
        allow,
      );
    },
  };
  return { path, prefix: path.split("{")[0]!, operations, fallback };
}
