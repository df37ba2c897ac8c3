/** The failures that a description shows, and those that every operation can have. Their messages are the real ones. */

import { INVALID_KEY, MISSING_KEY, READ_ONLY_KEY } from "../access/bearer.ts";
import { rateLimited, type RateLimitOptions } from "../access/rate_limit.ts";
import { PRECONDITION_FAILED } from "../http/conditional.ts";
import { INTERNAL_ERROR, Problem } from "../http/problem.ts";
import { quoted } from "../json.ts";

export const STORE_UNAVAILABLE: Problem = /* @__PURE__ */ new Problem(
  503,
  "store_unavailable",
  "The store is unavailable; try again later",
  { "retry-after": "5" },
);

/** Of a create whose outcome is not known. */
export const MAY_BE_STORED: Problem = /* @__PURE__ */ new Problem(
  503,
  "store_unavailable",
  "The store is unavailable, and the pet may have been stored; try again later",
  { "retry-after": "5" },
);

/** Failures with the same status, which therefore share a response. */
export interface FailureGroup {
  /** The name of the schema of their bodies. Generators create a type with this name. */
  schema: string;
  /** When the response occurs: a clause that `or` can join to another. */
  reason: string;
  /** At least one. */
  errors: readonly Problem[];
  /** The name of the response in `components.responses`, if several operations share it. */
  response?: string;
  /** When it occurs: before the operation is known, in the operation (the default), or in both. Then its headers are optional. */
  phase?: "before" | "both";
}

export function group(
  schema: string,
  reason: string,
  errors: readonly Problem[],
  more: Pick<FailureGroup, "response" | "phase"> = {},
): FailureGroup {
  return { schema, reason, errors, ...more };
}

/** Of every operation that needs a caller. */
export function callerFailures(): FailureGroup[] {
  const reason = "the API key is missing or invalid", errors = [MISSING_KEY, INVALID_KEY];
  return [group("UnauthorizedError", reason, errors, { response: "Unauthorized", phase: "before" })];
}

/** Of every operation that needs a caller that may write. */
export function writerFailures(): FailureGroup[] {
  return [group("InsufficientScopeError", "the API key may only read", [READ_ONLY_KEY])];
}

/** Of every operation. */
export function unexpectedFailures(): FailureGroup[] {
  const reason = "something unexpected happened; only the operator learns the cause";
  return [group("InternalServerError", reason, [INTERNAL_ERROR], { response: "InternalError", phase: "both" })];
}

/** Of every operation of a petstore with a limit. */
export function rateLimitFailures(options: RateLimitOptions): FailureGroup[] {
  const error = rateLimited({ name: "caller", ...options }, {
    remaining: 0,
    moreIn: options.windowMs / options.requests,
  });
  const reason = "the caller has sent too many requests, or the address too many without a valid API key";
  return [group("RateLimitedError", reason, [error], { response: "RateLimited", phase: "before" })];
}

/** Of an operation that asks the store. */
export function storeFailure(): FailureGroup {
  return group("StoreUnavailableError", "the store is unavailable", [STORE_UNAVAILABLE], { phase: "both" });
}

/** Of an operation whose responses have an entity tag. */
export function conditionFailure(): FailureGroup {
  return group("PreconditionFailedError", "no entity tag in If-Match is current", [PRECONDITION_FAILED]);
}

/** Of an operation on one pet. */
export function petFailure(): FailureGroup {
  return group("PetNotFoundError", "there is no such animal", [petNotFound("9")]);
}

export function petNotFound(id: string): Problem {
  return new Problem(404, "pet_not_found", `There is no pet ${quoted(id)}`);
}
