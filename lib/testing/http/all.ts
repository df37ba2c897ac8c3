import { AUTH_CASES } from "./auth.ts";
import { BODY_CASES } from "./body.ts";
import { BODY_LIMIT_CASES } from "./body_limits.ts";
import { CALLBACK_CASES } from "./callbacks.ts";
import { CALLER_CASES } from "./callers.ts";
import type { HttpCase } from "./case.ts";
import { CONDITIONAL_CASES } from "./conditional.ts";
import { CORS_CASES } from "./cors.ts";
import { CREATE_CASES } from "./create.ts";
import { GET_CASES } from "./get.ts";
import { IDEMPOTENCY_CASES } from "./idempotency.ts";
import { KEPT_CASES } from "./kept.ts";
import { LIMIT_CASES } from "./limits.ts";
import { LIST_CASES } from "./list.ts";
import { REQUEST_ID_CASES } from "./request_ids.ts";
import { ROUTE_CASES } from "./routes.ts";
import { SPECIFICATION_CASES } from "./specification.ts";
import { WRONG_KEY_CASES } from "./wrong_keys.ts";

export const HTTP_CONTRACT: readonly HttpCase[] = [
  ...SPECIFICATION_CASES,
  ...AUTH_CASES,
  ...CALLER_CASES,
  ...WRONG_KEY_CASES,
  ...LIMIT_CASES,
  ...LIST_CASES,
  ...GET_CASES,
  ...KEPT_CASES,
  ...CONDITIONAL_CASES,
  ...CREATE_CASES,
  ...BODY_CASES,
  ...BODY_LIMIT_CASES,
  ...IDEMPOTENCY_CASES,
  ...ROUTE_CASES,
  ...CORS_CASES,
  ...REQUEST_ID_CASES,
  ...CALLBACK_CASES,
];
