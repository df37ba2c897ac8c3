/** The failures that a description shows, and those that every operation can have. Their messages are the real ones. */

import { INVALID_KEY, MISSING_KEY, READ_ONLY_KEY } from "../access/refusals.ts";
import type { Effect } from "../http/operation.ts";
import { INTERNAL_ERROR, Problem } from "../http/problem.ts";
import { quoted } from "../excerpt.ts";

export const STORE_UNAVAILABLE: Problem = /* @__PURE__ */ unavailable("");

/** The response to a create whose outcome is not known. */
export const MAY_BE_STORED: Problem = /* @__PURE__ */ unavailable(", and the pet may have been stored");

function unavailable(more: string): Problem {
  const message = `The store is unavailable${more}; try again later`;
  return new Problem(503, "store_unavailable", message, { "retry-after": "5" });
}

/**
 * Browsers would keep a 410 for good, also if the operator lets the operation work again, unless it
 * says that they must not.
 */
export const GONE: Problem = /* @__PURE__ */ new Problem(410, "gone", "The operation has ended", {
  "cache-control": "private, no-cache",
});

/** Failures with the same status, which therefore share a response. */
export interface FailureGroup {
  /** When the response occurs: a clause that `or` can join to another. */
  reason: string;
  /** The failures that share the response: at least one. */
  errors: readonly Problem[];
  /**
   * The name of the response in `components.responses`. A group has it if its failures may occur
   * before the router has found the operation. Such a response lacks the headers `Deprecation`,
   * `Sunset` and `Link` of the operation, and so is the same for all operations.
   */
  sharedName?: string;
}

export function group(reason: string, errors: readonly Problem[]): FailureGroup {
  return { reason, errors };
}

/** The failures that every operation can have, and those that follow from its effect and from its end. */
export function commonFailures(effect: Effect, isGone?: boolean): FailureGroup[] {
  const unexpected = "something unexpected happened; only the operator learns the cause";
  const failures: FailureGroup[] = [
    { sharedName: "Unauthorized", reason: "missing or invalid API key", errors: [MISSING_KEY, INVALID_KEY] },
    { sharedName: "InternalError", reason: unexpected, errors: [INTERNAL_ERROR] },
  ];
  if (isGone) failures.push(group("the operation has been removed", [GONE]));
  if (effect !== "reads") failures.push(group("the API key may only read", [READ_ONLY_KEY]));
  return failures;
}

/** The failure of every operation that asks the store. */
export function storeFailure(): FailureGroup {
  return { sharedName: "StoreUnavailable", reason: "the store is unavailable", errors: [STORE_UNAVAILABLE] };
}

/** The failure of every operation on one pet. */
export function petFailure(): FailureGroup {
  return group("the requested resource could not be found", [petNotFound("9")]);
}

export function petNotFound(id: string): Problem {
  return new Problem(404, "pet_not_found", `There is no pet ${quoted(id)}`);
}
