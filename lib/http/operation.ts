import type { MaybePromise } from "../maybe_promise.ts";
import type { Caller, RequestContext } from "./context.ts";
import type { HeaderFields, Reply } from "./reply.ts";

/** HEAD follows from GET, and OPTIONS from the path. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A caller that may only read cannot add. */
export type Effect = "reads" | "adds";

export interface Call {
  context: RequestContext;
  caller: Caller;
  /** Without the question mark. */
  query: string;
  /** ASCII except slashes is decoded; `""` without a parameter. */
  parameter: string;
}

/** The caller of public operations. */
export const ANONYMOUS: Caller = { id: "anonymous", readOnly: true };

/** Fails by a {@link Problem}, returned or thrown. */
export type Handler = (call: Call) => MaybePromise<Reply>;

export interface Operation {
  method: Method;
  /** With the base path and at most one parameter, at the end. */
  path: string;
  /** `public` needs no key. */
  access: "public" | "key";
  effect: Effect;
  /** Added to every response, failures included. */
  fields?: HeaderFields | undefined;
  handler: Handler;
}
