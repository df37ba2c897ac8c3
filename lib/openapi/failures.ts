/** The failures of each operation. Their messages come from the service itself. */

import { INVALID_KEY, MISSING_KEY, READ_ONLY_KEY } from "../access/bearer.ts";
import { limitFields, rateLimited, type RateLimitOptions } from "../access/rate_limit.ts";
import { bodyTimedOut, bodyTooLarge, ENCODED, NOT_JSON } from "../http/body.ts";
import { OVERLOADED } from "../http/body_stream.ts";
import { INTERNAL_ERROR, type Problem } from "../http/problem.ts";
import { TOO_MANY_RESPONSES } from "../http/large_responses.ts";
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
} from "../operations/errors.ts";
import { type HeaderKey, referTo, referToOptional } from "./headers.ts";
import type { FailureGroup } from "./responses.ts";

export interface BodyOptions {
  maxBodyBytes: number;
  bodyTimeoutMs: number;
  /** Whether the store has `createOnce`. */
  remembersRequests: boolean;
}

export const UNAUTHORIZED: FailureGroup = {
  ...group("UnauthorizedError", "the API key is missing or invalid", [MISSING_KEY, INVALID_KEY]),
  response: "Unauthorized",
};

const INTERNAL = group("InternalServerError", "something unexpected happened; only the operator learns the cause", [
  INTERNAL_ERROR,
]);

export const UNEXPECTED: FailureGroup = { ...INTERNAL, response: "InternalError" };

export const LIST_FAILURES: FailureGroup[] = [
  group("InvalidPetQueryError", "a query parameter is invalid, empty or repeated", [
    invalidParameter("limit", "101"),
    invalidParameter("status", "lost"),
    invalidParameter("cursor", "abc"),
  ]),
  UNAUTHORIZED,
  UNEXPECTED,
  group("UnavailableError", "the store is unavailable, or too many large responses are under way", [
    STORE_UNAVAILABLE,
    TOO_MANY_RESPONSES,
  ]),
];

export function createFailures({ maxBodyBytes, bodyTimeoutMs, remembersRequests }: BodyOptions): FailureGroup[] {
  return [
    group(
      "InvalidPetError",
      "the body lacks required fields or has invalid values, or the Idempotency-Key is invalid",
      [
        INVALID_IDEMPOTENCY_KEY,
        invalidJson("it is empty"),
        invalidPet(faultsOf("{}")),
      ],
    ),
    UNAUTHORIZED,
    group("InsufficientScopeError", "the API key may only read", [READ_ONLY_KEY]),
    group("RequestTimeoutError", "the body did not arrive in time", [bodyTimedOut(bodyTimeoutMs)]),
    group("BodyTooLargeError", "the body is too large", [bodyTooLarge(maxBodyBytes)]),
    group("UnsupportedMediaTypeError", "the body is not JSON, or it has a content coding", [NOT_JSON, ENCODED]),
    remembersRequests
      ? group("IdempotencyKeyReusedError", "the Idempotency-Key was used for another animal", [IDEMPOTENCY_KEY_REUSED])
      : group("IdempotencyNotSupportedError", "Idempotency-Key is not supported here", [IDEMPOTENCY_NOT_SUPPORTED]),
    UNEXPECTED,
    group("UnavailableError", "the store is unavailable, or too many large bodies are under way", [
      STORE_UNAVAILABLE,
      OVERLOADED,
    ]),
  ];
}

function faultsOf(body: string): string[] {
  const faults = parseNewPet(body, "available");
  return Array.isArray(faults) ? faults : [];
}

/** The headers of a deprecated operation. */
export const DEPRECATION: HeaderKey[] = ["Deprecation", "Sunset", "Successor"];

export const GET_FAILURES: FailureGroup[] = [
  UNAUTHORIZED,
  { ...group("PetNotFoundError", "there is no such animal", [petNotFound("9")]), headers: referTo(DEPRECATION) },
  // Both may occur before the route is known, so the headers of the route are optional here.
  { ...INTERNAL, headers: referToOptional(DEPRECATION) },
  {
    ...group("StoreUnavailableError", "the store is unavailable", [STORE_UNAVAILABLE]),
    headers: referToOptional(DEPRECATION),
  },
];

/** Added to every operation of a petstore with a limit. */
export function createRateLimited(options: RateLimitOptions): FailureGroup {
  const quota = {
    isOpen: false,
    remaining: 0,
    resetIn: options.windowMs,
    retryIn: options.windowMs / options.requests,
  };
  const error = rateLimited(limitFields("caller", options, quota), Math.ceil(quota.retryIn / 1000));
  const reason = "the caller has sent too many requests, or the address too many without a valid API key";
  return { ...group("RateLimitedError", reason, [error]), response: "RateLimited" };
}

/** The failure of `GET /store/orders` if the app does not handle it. */
export const NO_ORDERS: FailureGroup = group("NoStoreOrdersError", "there are no store orders here", [NO_STORE_ORDERS]);

function group(schema: string, reason: string, errors: readonly Problem[]): FailureGroup {
  return { schema, reason, errors };
}
