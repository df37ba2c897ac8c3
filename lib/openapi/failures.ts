/** The failures of each operation, from where the service decides them. */

import { INVALID_KEY, MISSING_KEY } from "../access/bearer.ts";
import { bodyTimedOut, bodyTooLarge, ENCODED, NOT_JSON } from "../http/body.ts";
import { OVERLOADED } from "../http/body_stream.ts";
import { INTERNAL_ERROR } from "../http/errors.ts";
import { TOO_MANY_ANSWERS } from "../http/large_answers.ts";
import { parseNewPet } from "../pet.ts";
import {
  IDEMPOTENCY_KEY_REUSED,
  IDEMPOTENCY_NOT_SUPPORTED,
  INVALID_IDEMPOTENCY_KEY,
  invalidJson,
  invalidParameter,
  invalidPet,
  NO_STORE_ORDERS,
  petNotFound,
  STORE_UNAVAILABLE,
} from "../service/refusals.ts";
import { type HeaderKey, referTo, referToOptional } from "./headers.ts";
import type { FailureGroup } from "./responses.ts";

/** The facts that the failures of a create depend on. */
export interface BodyOptions {
  maxBodyBytes: number;
  bodyTimeoutMs: number;
  /** Whether the store recognizes a request that is sent again. */
  remembersRequests: boolean;
}

/** The API key is refused. */
export const UNAUTHORIZED: FailureGroup = {
  schema: "UnauthorizedError",
  reasons: ["the API key is missing or invalid"],
  errors: [MISSING_KEY, INVALID_KEY],
  response: "Unauthorized",
};

/** Any other failure. */
export const UNEXPECTED: FailureGroup = {
  schema: "InternalServerError",
  reasons: ["something unexpected happened; only the operator learns the cause"],
  errors: [INTERNAL_ERROR],
  response: "InternalError",
};

const NOT_STORED: FailureGroup = {
  schema: "StoreUnavailableError",
  reasons: ["the store is unavailable"],
  errors: [STORE_UNAVAILABLE],
};

/** The failures of `GET /pets`. */
export const LIST_FAILURES: FailureGroup[] = [
  {
    schema: "InvalidPetQueryError",
    reasons: ["a query parameter is invalid, empty or repeated"],
    errors: [invalidParameter("limit", "101"), invalidParameter("status", "lost"), invalidParameter("cursor", "abc")],
  },
  UNAUTHORIZED,
  UNEXPECTED,
  {
    schema: "UnavailableError",
    reasons: [...NOT_STORED.reasons, "too many large answers are under way"],
    errors: [STORE_UNAVAILABLE, TOO_MANY_ANSWERS],
  },
];

/** The failures of `POST /pets`. */
export function createFailures({ maxBodyBytes, bodyTimeoutMs, remembersRequests }: BodyOptions): FailureGroup[] {
  return [
    {
      schema: "InvalidPetError",
      reasons: ["the body lacks required fields or has invalid values", "the Idempotency-Key is invalid"],
      errors: [INVALID_IDEMPOTENCY_KEY, invalidJson("it is empty"), invalidPet(faultsOf("{}"))],
    },
    UNAUTHORIZED,
    {
      schema: "RequestTimeoutError",
      reasons: ["the body did not arrive in time"],
      errors: [bodyTimedOut(bodyTimeoutMs)],
    },
    { schema: "BodyTooLargeError", reasons: ["the body is too large"], errors: [bodyTooLarge(maxBodyBytes)] },
    {
      schema: "UnsupportedMediaTypeError",
      reasons: ["the body is not JSON", "it has a content coding"],
      errors: [NOT_JSON, ENCODED],
    },
    remembersRequests ? KEY_REUSED : KEY_NOT_SUPPORTED,
    UNEXPECTED,
    {
      schema: "UnavailableError",
      reasons: [...NOT_STORED.reasons, "too many large bodies are under way"],
      errors: [STORE_UNAVAILABLE, OVERLOADED],
    },
  ];
}

function faultsOf(body: string): string[] {
  const faults = parseNewPet(body, "available");
  return Array.isArray(faults) ? faults : [];
}

const KEY_REUSED: FailureGroup = {
  schema: "IdempotencyKeyReusedError",
  reasons: ["the Idempotency-Key has been used for another animal"],
  errors: [IDEMPOTENCY_KEY_REUSED],
};

const KEY_NOT_SUPPORTED: FailureGroup = {
  schema: "IdempotencyNotSupportedError",
  reasons: ["Idempotency-Key is not supported here"],
  errors: [IDEMPOTENCY_NOT_SUPPORTED],
};

/** The headers of a deprecated operation. */
export const DEPRECATION: HeaderKey[] = ["Deprecation", "Sunset", "Successor"];

/** The failures of `GET /pets/{petId}`. */
export const GET_FAILURES: FailureGroup[] = [
  UNAUTHORIZED,
  {
    schema: "PetNotFoundError",
    reasons: ["there is no such animal"],
    errors: [petNotFound("9")],
    headers: referTo(DEPRECATION),
  },
  { ...UNEXPECTED, response: undefined, headers: referTo(DEPRECATION) },
  // It may come before the route is known, and so without the headers of the route.
  { ...NOT_STORED, headers: referToOptional(DEPRECATION) },
];

/** The failure of `GET /store/orders` where the app does not answer it. */
export const NO_ORDERS: FailureGroup = {
  schema: "NoStoreOrdersError",
  reasons: ["there are no store orders here"],
  errors: [NO_STORE_ORDERS],
};
