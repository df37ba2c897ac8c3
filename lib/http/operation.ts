import type { MaybePromise } from "../promises.ts";
import type { Caller, RequestContext } from "./context.ts";
import type { HeaderFields, Reply } from "./reply.ts";

/** A method that an operation can have. HEAD follows from GET, and OPTIONS from the path. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What an operation does to the pets. A caller that may only read is refused where one writes. */
export type Effect = "reads" | "writes";

export interface Call {
  context: RequestContext;
  caller: Caller;
  /** The query without its question mark, or "". */
  query: string;
  /**
   * The last segment, if the path ends in a parameter, otherwise `""`. Its escaped ASCII is
   * decoded, except slashes.
   */
  parameter: string;
}

/** The caller of public operations. */
export const ANONYMOUS: Caller = { id: "anonymous", readOnly: true };

/**
 * Answers a call. A failure is a {@link Problem}, returned or thrown; anything else that is thrown
 * is told to `onError`.
 */
export type Handler = (call: Call) => MaybePromise<Reply>;

export interface Operation {
  method: Method;
  /** The path with the base path. It may end in one parameter, as in `/v1/pets/{petId}`. */
  path: string;
  /** Whether a request needs an API key. */
  access: "public" | "key";
  effect: Effect;
  /** Header fields of every response, failures included, such as `Deprecation`. */
  fields?: HeaderFields | undefined;
  handler: Handler;
}

/** What public operations have in common. */
export const PUBLIC_GET = { method: "GET", access: "public", effect: "reads" } as const satisfies Partial<Operation>;
