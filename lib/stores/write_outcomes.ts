/** What stores on a database tell of a write: the outcome of a repeated request, and two errors. */

import { type IdempotentOutcome, StoreUnavailableError } from "./store.ts";

/** A create that a repetition with the same key is compared with. */
export interface RememberedRequest {
  /** The fingerprint of the pet in the first request. */
  fingerprint: string;
  /** The id of the pet that the first request has added. */
  id: bigint;
}

/**
 * Compares a create with the remembered request of the same key. If it is for the same pet, it is a repetition. Otherwise it is a conflict.
 *
 * @param fingerprint The fingerprint of the create.
 */
export function outcomeOfRepeated(remembered: RememberedRequest, fingerprint: string): IdempotentOutcome {
  return remembered.fingerprint === fingerprint ? { outcome: "replayed", id: remembered.id } : { outcome: "conflict" };
}

/**
 * Makes the error of a write whose outcome is not known, from the failure that hides the outcome.
 *
 * @param what What the write would have stored.
 */
export function uncertainOutcomeError(
  { message, cause, isTemporary = false }: { message: string; cause?: unknown; isTemporary?: boolean },
  what = "pet",
): StoreUnavailableError {
  const text = `${message}; the ${what} may have been stored`;
  return new StoreUnavailableError(text, { cause, mayBeStored: true, isTemporary });
}

/** The error of a call to a store that has been closed. */
export function storeClosed(): StoreUnavailableError {
  return new StoreUnavailableError("The store has been closed");
}
