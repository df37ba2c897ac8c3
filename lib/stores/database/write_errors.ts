/** The errors that stores on a database throw for a write whose outcome is unknown, and after their close. */

import { StoreUnavailableError } from "../store.ts";

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
