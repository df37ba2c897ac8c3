import { AUTH_CASES } from "./auth.ts";
import { BODY_CASES } from "./body.ts";
import type { HttpCase } from "./case.ts";
import { CREATE_CASES } from "./create.ts";
import { GET_CASES } from "./get.ts";
import { IDEMPOTENCY_CASES } from "./idempotency.ts";
import { LIST_CASES } from "./list.ts";
import { ROUTE_CASES } from "./routes.ts";

export const HTTP_CONTRACT: readonly HttpCase[] = [
  ...AUTH_CASES,
  ...LIST_CASES,
  ...CREATE_CASES,
  ...BODY_CASES,
  ...IDEMPOTENCY_CASES,
  ...GET_CASES,
  ...ROUTE_CASES,
];
