/** Limits the retries of a write. */

import type { StoreUnavailableError } from "../store.ts";

/** How often a write may fail, other than because of other servers. */
const MAX_FAILURES = 4;
/** The longest pause before a retry, in milliseconds. */
const MAX_PAUSE = 4;

/** The retries of one write. */
export class Retries {
  readonly #deadline: number;
  #failures = 0;

  /** @param timeoutMs How long it may be retried. */
  constructor(timeoutMs: number) {
    this.#deadline = performance.now() + timeoutMs;
  }

  /** Waits for a random time, so that servers that conflict do not conflict again. Returns false if it is too late. */
  async pause(failure: StoreUnavailableError): Promise<boolean> {
    if (!isConflict(failure) && ++this.#failures >= MAX_FAILURES) return false;
    const pauseMs = Math.random() * MAX_PAUSE;
    if (performance.now() + pauseMs >= this.#deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    return true;
  }
}

/** Whether another server was faster. KV itself does not retry if another process is writing to its file. */
function isConflict({ cause }: StoreUnavailableError): boolean {
  return cause === undefined || (cause instanceof Error && cause.message.startsWith("database is locked"));
}
