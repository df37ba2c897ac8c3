/** Retries with backoff, within one deadline. */

import { PetstoreError } from "./error.ts";

/** How long and how often a request is tried. */
export interface Patience {
  timeoutMs: number;
  maxRetries: number;
  signal?: AbortSignal | undefined;
}

/** Statuses after which the same request may succeed. */
const PASSING = [408, 429, 502, 503, 504];

/** The bounds of the backoff, in milliseconds. */
const FIRST = 100, LONGEST = 5_000;

/**
 * Repeats `attempt` until it succeeds, fails for good, or the time is over.
 *
 * @throws {PetstoreError} The failure of the last attempt, or `deadline_exceeded`.
 * @throws The reason of `signal`, once that is aborted.
 */
export function retry<T>(attempt: (signal: AbortSignal) => Promise<T>, patience: Patience): Promise<T> {
  const end = performance.now() + patience.timeoutMs;
  let failure: unknown;
  const run = async (signal: AbortSignal): Promise<T> => {
    for (let retries = 0;; retries++) {
      try {
        return await attempt(signal);
      } catch (error) {
        failure = error;
        const isFinal = signal.aborted || retries >= patience.maxRetries;
        if (isFinal || !(error instanceof PetstoreError) || !isPassing(error)) throw error;
        const delay = (error.retryAfterMs ?? 0) + jitter(retries);
        // To wait would end in the same failure, only later.
        if (performance.now() + delay >= end) throw error;
        await sleep(delay, signal);
      }
    }
  };
  return within(run, patience, () => failure);
}

function isPassing({ code, status }: PetstoreError): boolean {
  return code === "connection_failed" || PASSING.includes(status);
}

/** Full jitter: clients that failed together do not come back together. */
function jitter(retries: number): number {
  return Math.random() * Math.min(LONGEST, FIRST * 2 ** retries);
}

/** Never ends if the signal is aborted: {@link within} has settled then. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    // Otherwise the timer would keep the process alive.
    signal.addEventListener("abort", () => clearTimeout(timer));
  });
}

/** Settles at the deadline or when the caller aborts, even if `run` ignores its signal. Leaves no timer and no listener behind. */
async function within<T>(
  run: (signal: AbortSignal) => Promise<T>,
  { timeoutMs, signal }: Patience,
  lastFailure: () => unknown,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = () => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      const stop = (reason: unknown) => {
        reject(reason);
        controller.abort(reason);
      };
      abort = () => stop(signal?.reason);
      signal?.addEventListener("abort", abort);
      timer = setTimeout(() => {
        stop(new PetstoreError("deadline_exceeded", `No response within ${timeoutMs} ms`, { cause: lastFailure() }));
      }, timeoutMs);
      run(controller.signal).then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
