/** Failures that several operations can give. */

import { Problem } from "../http/problem.ts";
import { excerpt } from "../json.ts";

/** Text of a client, for a message. */
export function quoted(text: string): string {
  return JSON.stringify(excerpt(text));
}

export function petNotFound(id: string): Problem {
  return new Problem(404, "pet_not_found", `There is no pet ${quoted(id)}`);
}

export const STORE_UNAVAILABLE: Problem = /* @__PURE__ */ new Problem(
  503,
  "store_unavailable",
  "The store is unavailable at present; try again later",
  { "retry-after": "5" },
);
