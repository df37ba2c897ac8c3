/** Operations, as the pipeline calls them. */

import type { MaybePromise } from "../maybe_promise.ts";
import type { Caller, RequestContext } from "./context.ts";
import type { HeaderFields, Reply } from "./reply.ts";

/** The methods that an operation can have. HEAD follows from GET, and OPTIONS from the path. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The right that an operation requires: none, not even a key; a valid key; or a key that may do more than read. */
export type Access = "public" | "read" | "write";

/** What an operation does to its resources: it reads them, adds some, or changes or removes some. */
export type Effect = "reads" | "adds" | "alters";

/** The input of an operation. */
export interface Call {
  context: RequestContext;
  /** {@link ANONYMOUS} if the operation is public. */
  caller: Caller;
  /** Without the question mark. */
  query: string;
  /** The parameter of the path, percent-decoded if possible; `""` if there is none. */
  parameter: string;
}

/** The caller of a public operation. */
export const ANONYMOUS: Caller = { id: "anonymous", readOnly: true };

/** Answers a call. To fail, it returns or throws a {@link Problem}. */
export type Handler = (call: Call) => MaybePromise<Reply>;

/** An operation, ready to serve. */
export interface Operation {
  method: Method;
  /** A template, base path included, that may end in one parameter (`/v1/pets/{petId}`). */
  path: string;
  access: Access;
  effect: Effect;
  /** Added to every response of the operation, failures included. */
  fields?: HeaderFields | undefined;
  handler: Handler;
}

/** The right that an operation requires. */
export function accessFor(effect: Effect): Access {
  return effect === "reads" ? "read" : "write";
}
