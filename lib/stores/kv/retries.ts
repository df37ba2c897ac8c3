/** Limits the retries of a write. */

import type { StoreUnavailableError } from "../store.ts";

/** How often a write may fail, other than because of other servers. */
const MAX_FAILURES = 4;
/** The longest pause before a retry, in milliseconds. */
const MAX_PAUSE = 4;

/**
 * Limits the retries of one write to this time.
 *
 * @returns Waits for a random time, so that servers that conflict do not conflict again. Resolves to false if it is too late.
 */
export function limitRetries(timeoutMs: number): (failure: StoreUnavailableError) => Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  let failures = 0;
  return async (failure) => {
    if (!isConflict(failure) && ++failures >= MAX_FAILURES) return false;
    const pauseMs = Math.random() * MAX_PAUSE;
    if (performance.now() + pauseMs >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    return true;
  };
}

/** Whether another server was faster. KV itself does not retry if another process is writing to its file. */
function isConflict({ cause }: StoreUnavailableError): boolean {
  return cause === undefined || (cause instanceof Error && cause.message.startsWith("database is locked"));
}
