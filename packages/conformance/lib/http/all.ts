import { ADDITION_CASES } from "./additions.ts";
import { AUTH_CASES } from "./auth.ts";
import { BODY_CASES } from "./body.ts";
import { BODY_LIMIT_CASES } from "./body_limits.ts";
import type { HttpCase } from "./case.ts";
import { CONDITIONAL_CASES } from "./conditional.ts";
import { CORS_CASES } from "./cors.ts";
import { CREATE_CASES } from "./create.ts";
import { GET_CASES } from "./get.ts";
import { IDEMPOTENCY_CASES } from "./idempotency.ts";
import { LIST_CASES } from "./list.ts";
import { ROUTE_CASES } from "./routes.ts";
import { SPECIFICATION_CASES } from "./specification.ts";
import { UNAUTHORIZED_CASES } from "./unauthorized.ts";

/** The published cases of the HTTP contract. `tests/support/contract` has those that no other store or host can change. */
export const HTTP_CASES: readonly HttpCase[] = [
  ...SPECIFICATION_CASES,
  ...UNAUTHORIZED_CASES,
  ...ADDITION_CASES,
  ...AUTH_CASES,
  ...LIST_CASES,
  ...GET_CASES,
  ...CONDITIONAL_CASES,
  ...CREATE_CASES,
  ...BODY_CASES,
  ...BODY_LIMIT_CASES,
  ...IDEMPOTENCY_CASES,
  ...ROUTE_CASES,
  ...CORS_CASES,
];
