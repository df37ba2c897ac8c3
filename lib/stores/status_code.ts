import { PET_STATUSES, type PetStatus } from "../pet.ts";

/**
 * The number by which stores represent a status.
 *
 * @throws {TypeError} If `status` is invalid.
 */
export function statusCode(status: PetStatus): number {
  const code = PET_STATUSES.indexOf(status);
  if (code < 0) throw new TypeError(`The status of a pet must be one of ${PET_STATUSES.join(", ")}`);
  return code;
}
