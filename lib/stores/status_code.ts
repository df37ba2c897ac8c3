/** The number that the stores keep for each status. */

import type { PetStatus } from "../pet.ts";

/** The index is the number. Databases contain it, so the order must not change. */
const STATUSES: readonly PetStatus[] = ["available", "pending", "sold"];

/** @throws {TypeError} If `status` is not a pet's status. */
export function statusCode(status: PetStatus): number {
  const code = STATUSES.indexOf(status);
  if (code < 0) throw new TypeError(`The status of a pet must be one of ${STATUSES.join(", ")}`);
  return code;
}
