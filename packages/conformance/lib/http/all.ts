import { AUTH_CASES } from "./auth.ts";
import type { HttpCase } from "./case.ts";
import { CONDITIONAL_CASES } from "./conditional.ts";
import { BODY_CASES, CREATE_CASES } from "./create.ts";
import { GET_CASES } from "./get.ts";
import { IDEMPOTENCY_CASES } from "./idempotency.ts";
import { LIST_CASES } from "./list.ts";
import { ROUTE_CASES } from "./routes.ts";
import { SPECIFICATION_CASES } from "./specification.ts";

/** The published cases of the HTTP contract: what can be tested by an address and a key, and what a store can break. */
export const HTTP_CASES: readonly HttpCase[] = [
  ...SPECIFICATION_CASES,
  ...AUTH_CASES,
  ...LIST_CASES,
  ...GET_CASES,
  ...CONDITIONAL_CASES,
  ...CREATE_CASES,
  ...IDEMPOTENCY_CASES,
  ...ROUTE_CASES,
  // These are the last, because a host may close the connection of a body that it has refused, in the next request too.
  ...BODY_CASES,
];
