import type { IdempotentOutcome } from "./store.ts";

/** A create that a repetition with the same key is compared with. */
export interface RememberedRequest {
  /** The fingerprint of the pet in the first request. */
  fingerprint: string;
  /** The id of the pet that the first request has added. */
  id: bigint;
}

/**
 * Compares a create with the remembered request of the same key. If it is for the same pet, it is a
 * repetition. Otherwise it is a conflict.
 *
 * @param fingerprint The fingerprint of the create.
 */
export function outcomeOfRepeated(remembered: RememberedRequest, fingerprint: string): IdempotentOutcome {
  return remembered.fingerprint === fingerprint ? { outcome: "replayed", id: remembered.id } : { outcome: "conflict" };
}
