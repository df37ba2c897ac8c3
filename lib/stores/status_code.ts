import type { PetStatus } from "../pet.ts";

/** The index of a status is its number in databases, so the order must not change. */
const STATUSES: readonly PetStatus[] = ["available", "pending", "sold"];

/**
 * The number that stores keep for a status.
 *
 * @throws {TypeError} If `status` is invalid.
 */
export function statusCode(status: PetStatus): number {
  const code = STATUSES.indexOf(status);
  if (code < 0) throw new TypeError(`The status of a pet must be one of ${STATUSES.join(", ")}`);
  return code;
}
