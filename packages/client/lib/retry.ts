import { type ClientErrorCode, PetstoreError } from "./error.ts";
import { chainOf, ResponseTooLongError } from "./request.ts";

export interface RetryLimits {
  timeoutMs: number;
  maxRetries: number;
  signal: AbortSignal | undefined;
}

/** The statuses of failures that may pass, so that the same request may succeed later. */
const TRANSIENT_STATUSES = [408, 429, 502, 503, 504];

/** A pause is random. These are the bounds of the first pause and of the longest, in milliseconds. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** How long a client tries while nothing listens at the address, in milliseconds. A server that restarts is back by then. */
const REFUSED_PATIENCE_MS = 2_500;

/**
 * An attempt may never be answered. So one that is followed by another gets a third of the whole time, but not less than this, in
 * milliseconds. The last attempt gets all the time that is left.
 */
const SHORTEST_ATTEMPT_MS = 1_000;

/**
 * Makes attempts until one succeeds, one fails for good, or the time is over.
 *
 * @throws {PetstoreError} The failure of the last attempt, or `deadline_exceeded`.
 * @throws The reason of `signal`, once that is aborted.
 */
export async function retry<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  { timeoutMs, maxRetries, signal }: RetryLimits,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  /** The longest that an attempt may take if another one may follow. */
  const share = Math.max(SHORTEST_ATTEMPT_MS, timeoutMs / 3);
  /** The failure of the last attempt that has ended. */
  let lastFailure: PetstoreError | undefined;
  /** The failure of the first attempt that the server may have carried out all the same. */
  let doubtfulFailure: PetstoreError | undefined;
  /** Since when each attempt was refused, because nothing listens at the address. It is undefined after any other failure. */
  let refusedSince: number | undefined;
  for (let retries = 0;; retries++) {
    const timeLeft = end - performance.now();
    const isLast = retries >= maxRetries;
    const getsAllTimeLeft = isLast || share >= timeLeft;
    const lateError = () =>
      getsAllTimeLeft
        ? noResponse("deadline_exceeded", timeoutMs, lastFailure)
        : noResponse("connection_failed", share, lastFailure);
    try {
      return await within(attempt, getsAllTimeLeft ? timeLeft : share, lateError, signal);
    } catch (error) {
      // The app's own reason is thrown unchanged, also if it is a PetstoreError, such as that of another call.
      signal?.throwIfAborted();
      if (!(error instanceof PetstoreError)) throw error;
      const wasRefused = isRefused(error);
      refusedSince = wasRefused ? refusedSince ?? performance.now() : undefined;
      const pause = isLast ? undefined : pauseAfter(error, retries, refusedSince, end);
      if (pause === undefined) {
        // The caller should know how many attempts got no response, and whether an earlier one may have been carried out.
        if (error.code === "connection_failed" && retries > 0) error.message += ` (${retries + 1} attempts)`;
        if (doubtfulFailure) error.cause ??= doubtfulFailure;
        throw error;
      }
      lastFailure = error;
      // A 429 was refused before it was carried out, and a refused connection has carried nothing.
      if (error.status !== 429 && !wasRefused) doubtfulFailure ??= error;
      await sleep(pause, signal);
    }
  }
}

/**
 * How long to wait before the next attempt, in milliseconds. It is undefined if none follows: the failure will not pass, or the time of the
 * call, or the patience with an address at which nothing listens, would be over.
 */
function pauseAfter(
  failure: PetstoreError,
  retries: number,
  refusedSince: number | undefined,
  end: number,
): number | undefined {
  if (!isTransient(failure)) return undefined;
  const now = performance.now();
  let pause = (failure.retryAfterMs ?? 0) + jitter(retries);
  if (refusedSince !== undefined) {
    const patience = refusedSince + REFUSED_PATIENCE_MS - now;
    if (patience <= 0) return undefined;
    // The last attempt is made just when the patience ends.
    pause = Math.min(pause, patience);
  }
  // A pause beyond the end of the call would end in the same failure, only later.
  return now + pause < end ? pause : undefined;
}

function noResponse(code: ClientErrorCode, timeMs: number, cause: PetstoreError | undefined): PetstoreError {
  return new PetstoreError(code, `No response within ${Math.round(timeMs)} ms`, { cause });
}

/** Whether the same request may succeed later. A response that was too long is not asked for again: the next one would be as long. */
function isTransient({ code, status, cause }: PetstoreError): boolean {
  if (code === "connection_failed") return true;
  return TRANSIENT_STATUSES.includes(status) && !(cause instanceof ResponseTooLongError);
}

/** Whether nothing listens at the address, as Node, Deno and Bun say it. A browser does not tell. */
function isRefused({ cause }: PetstoreError): boolean {
  return [...chainOf(cause)].some(({ code, message = "" }) =>
    code === "ECONNREFUSED" || code === "ConnectionRefused" || /connection refused/i.test(message)
  );
}

/** The pause before a retry is random from zero on ("full jitter"), so that clients that failed together do not come back together. */
function jitter(retries: number): number {
  return Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** retries);
}

/** Waits for the time, or throws the reason of the signal once that is aborted. Leaves no timer and no listener behind. */
async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = () => {};
  try {
    await new Promise<void>((resolve, reject) => {
      abort = () => reject(signal!.reason);
      signal?.addEventListener("abort", abort);
      timer = setTimeout(resolve, milliseconds);
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** Settles after the time or the abort even if `run` ignores its signal. Leaves no timer and no listener behind. */
async function within<T>(
  run: (signal: AbortSignal) => Promise<T>,
  milliseconds: number,
  lateError: () => PetstoreError,
  signal: AbortSignal | undefined,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = () => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      abort = () => reject(signal!.reason);
      signal?.addEventListener("abort", abort);
      timer = setTimeout(() => reject(lateError()), milliseconds);
      run(controller.signal).then(resolve, reject);
    });
  } catch (error) {
    controller.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
