import { isInt64 } from "../json.ts";
import { PET_STATUSES, type PetStatus } from "../pet.ts";
import type { PetDraft } from "./store.ts";

/**
 * The number of a status in a database.
 *
 * @throws {TypeError} If `status` is invalid.
 */
export function statusCode(status: PetStatus): number {
  const code = PET_STATUSES.indexOf(status);
  if (code < 0) throw new TypeError(`The status of a pet must be one of ${PET_STATUSES.join(", ")}`);
  return code;
}

/**
 * Checks a pet before it joins a batch, so that an invalid one fails alone. Returns the number of
 * its status.
 *
 * @throws {TypeError} If the pet is invalid.
 */
export function requireValid({ name, categoryId, status }: PetDraft): number {
  if (typeof name !== "string") throw new TypeError("The name of a pet must be a string");
  if (typeof categoryId !== "bigint" || !isInt64(categoryId)) throw new TypeError("A categoryId must be an int64");
  return statusCode(status);
}
