/** The service's own failures: the words of each stand here alone, and the description shows them as examples. */

import { HttpError } from "../http/errors.ts";
import { excerpt } from "../json.ts";
import { PET_STATUSES } from "../pet.ts";

/** Pets on a page: at least, at most, and where the client does not say. */
export const LIMIT = { minimum: 1, maximum: 100, default: 20 };

/** The most characters of an `Idempotency-Key`, its quotes aside. */
export const MAX_IDEMPOTENCY_KEY = 255;

/** After how many seconds a client may try again when the store is unavailable. */
const RETRY_AFTER = 5;

/** A value as it may stand in a message: quoted, and cut if it is long. */
function quote(text: string): string {
  return JSON.stringify(excerpt(text));
}

/** The query parameters of a list, and what each must be. */
const PARAMETERS = {
  limit: `a whole number from ${LIMIT.minimum} to ${LIMIT.maximum}`,
  status: `one of ${PET_STATUSES.join(", ")}`,
  cursor: "taken from the Link header of a list",
};

/** A query parameter with this value, or with a fault that leaves it without one. */
export function invalidParameter(name: keyof typeof PARAMETERS, value: string | undefined, fault?: string): HttpError {
  const given = value === undefined ? fault : `not ${quote(value)}`;
  return new HttpError(`invalid_${name}`, `The query parameter ${name} must be ${PARAMETERS[name]}, ${given}`);
}

/** A body that is not JSON, with what the parser says of it. */
export function invalidJson(cause: string): HttpError {
  return new HttpError("invalid_json", `The request body is not valid JSON: ${cause}`);
}

/** A pet with these faults. */
export function invalidPet(faults: readonly string[]): HttpError {
  return new HttpError("invalid_pet", `The pet is not valid: ${faults.join("; ")}`);
}

/** No pet has this id. */
export function petNotFound(id: string): HttpError {
  return new HttpError("pet_not_found", `There is no pet ${quote(id)}`);
}

/** An `Idempotency-Key` that is not one. */
export const INVALID_IDEMPOTENCY_KEY: HttpError = new HttpError(
  "invalid_idempotency_key",
  `The Idempotency-Key must be 1 to ${MAX_IDEMPOTENCY_KEY} visible ASCII characters, bare or as a quoted string`,
);

/** An `Idempotency-Key` that has been used for another pet. */
export const IDEMPOTENCY_KEY_REUSED: HttpError = new HttpError(
  "idempotency_key_reused",
  "The Idempotency-Key has been used for another pet; use a new key for a new pet",
);

/** An `Idempotency-Key` where the store has no `createOnce`. */
export const IDEMPOTENCY_NOT_SUPPORTED: HttpError = new HttpError(
  "not_implemented",
  "The store of this petstore does not support Idempotency-Key; send the request without it",
);

/** `GET /store/orders` where the app has no handler for it. */
export const NO_STORE_ORDERS: HttpError = new HttpError("not_implemented", "This petstore has no store orders");

/** The store cannot serve. */
export const STORE_UNAVAILABLE: HttpError = new HttpError(
  "store_unavailable",
  "The store is unavailable at present; try again later",
  { "retry-after": String(RETRY_AFTER) },
);
