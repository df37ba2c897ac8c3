/** The failures of the service and their messages. The OpenAPI description shows them as examples. */

import { Problem } from "../http/problem.ts";
import { excerpt } from "../json.ts";
import { PET_STATUSES } from "../pet.ts";

/** The range and the default of the query parameter `limit`: pets on a page. */
export const LIMIT = { minimum: 1, maximum: 100, default: 20 };

/** In characters, without quotes. */
export const MAX_IDEMPOTENCY_KEY = 255;

/** How many seconds a client should wait when the store is unavailable. */
const RETRY_AFTER = 5;

function quote(text: string): string {
  return JSON.stringify(excerpt(text));
}

/** The query parameters of a list, and the valid values of each. */
const PARAMETERS = {
  limit: `a whole number from ${LIMIT.minimum} to ${LIMIT.maximum}`,
  status: `one of ${PET_STATUSES.join(", ")}`,
  cursor: "taken from the Link header of a list",
};

/** @param fault Why there is no single value, if `value` is undefined. */
export function invalidParameter(name: keyof typeof PARAMETERS, value: string | undefined, fault?: string): Problem {
  const given = value === undefined ? fault : `not ${quote(value)}`;
  return new Problem(`invalid_${name}`, `The query parameter ${name} must be ${PARAMETERS[name]}, ${given}`);
}

/** @param cause The parser's message. */
export function invalidJson(cause: string): Problem {
  return new Problem("invalid_json", `The request body is not valid JSON: ${cause}`);
}

export function invalidPet(faults: readonly string[]): Problem {
  return new Problem("invalid_pet", `The pet is not valid: ${faults.join("; ")}`);
}

export function petNotFound(id: string): Problem {
  return new Problem("pet_not_found", `There is no pet ${quote(id)}`);
}

export const INVALID_IDEMPOTENCY_KEY: Problem = new Problem(
  "invalid_idempotency_key",
  `The Idempotency-Key must be 1 to ${MAX_IDEMPOTENCY_KEY} visible ASCII characters, bare or as a quoted string`,
);

export const IDEMPOTENCY_KEY_REUSED: Problem = new Problem(
  "idempotency_key_reused",
  "The Idempotency-Key has been used for another pet; use a new key for a new pet",
);

/** The store has no `createOnce`. */
export const IDEMPOTENCY_NOT_SUPPORTED: Problem = new Problem(
  "not_implemented",
  "The store of this petstore does not support Idempotency-Key; send the request without it",
);

/** The app has no handler for `GET /store/orders`. */
export const NO_STORE_ORDERS: Problem = new Problem("not_implemented", "This petstore has no store orders");

export const STORE_UNAVAILABLE: Problem = new Problem(
  "store_unavailable",
  "The store is unavailable at present; try again later",
  { "retry-after": String(RETRY_AFTER) },
);
