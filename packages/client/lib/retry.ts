import { PetstoreError } from "./error.ts";
import { errorAndCauses } from "./request.ts";

export interface RetryLimits {
  timeoutMs: number;
  maxRetries: number;
  /** The app's own signal, which ends the call. */
  signal: AbortSignal | undefined;
}

/** Makes one attempt. It should end once its signal is aborted. */
export type Attempt<T> = (signal: AbortSignal) => Promise<T>;

/** The statuses of failures that may pass, so that the same request may succeed later. */
const TRANSIENT_STATUSES = [408, 429, 502, 503, 504];

/** A pause is random. These are the upper bounds of the first pause and of the longest, in milliseconds. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/**
 * While nothing listens at the address, a request is repeated so often, after pauses of about this time in milliseconds. A server that
 * restarts is back by then.
 */
const REFUSED_RETRIES = 5;
const REFUSED_PAUSE_MS = 500;

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
export async function retry<T>({ timeoutMs, maxRetries, signal }: RetryLimits, attempt: Attempt<T>): Promise<T> {
  const end = performance.now() + timeoutMs;
  /** The longest that an attempt may take if another one may follow. */
  const attemptMs = Math.max(SHORTEST_ATTEMPT_MS, timeoutMs / 3);
  /** The last failure that leaves unclear whether the server has carried out the request. */
  let unclearFailure: PetstoreError | undefined;
  /** How many attempts in a row were refused, because nothing listens at the address. */
  let refusals = 0;
  for (let retries = 0;; retries++) {
    const isLast = retries >= maxRetries;
    const timeLeft = end - performance.now();
    const hasAllTime = isLast || timeLeft <= attemptMs;
    const limit = hasAllTime ? timeLeft : attemptMs;
    const expiry = hasAllTime
      ? new PetstoreError("deadline_exceeded", noResponseWithin(timeoutMs))
      : new PetstoreError("connection_failed", noResponseWithin(attemptMs));
    let failure: PetstoreError;
    try {
      return await runAttempt(attempt, limit, expiry, signal);
    } catch (error) {
      // The app's own reason is thrown unchanged, also if it is a PetstoreError, such as that of another call.
      signal?.throwIfAborted();
      if (!(error instanceof PetstoreError)) throw error;
      failure = error;
    }
    refusals = isRefused(failure) ? refusals + 1 : 0;
    const pause = isLast ? Infinity : pauseAfter(failure, retries, refusals);
    // A pause beyond the end of the call would end in the same failure, only later.
    if (performance.now() + pause >= end) throw withHistory(failure, retries, unclearFailure);
    // A 429 was refused before it was carried out, and a refused connection has carried nothing.
    if (failure.status !== 429 && refusals === 0) unclearFailure = failure;
    await sleep(pause, signal);
  }
}

function noResponseWithin(milliseconds: number): string {
  return `No response within ${Math.round(milliseconds)} ms`;
}

/**
 * Makes one attempt. It ends at its limit, with the error `expiry`, and at the abort, even if the attempt ignores its signal. Leaves no timer
 * and no listener behind.
 */
async function runAttempt<T>(
  attempt: Attempt<T>,
  milliseconds: number,
  expiry: PetstoreError,
  signal: AbortSignal | undefined,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const ended = controller.signal;
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  const timer = setTimeout(() => controller.abort(expiry), milliseconds);
  try {
    // The abort is listened to before the attempt begins, because `fetch` may cause it before it returns.
    const aborted = new Promise<never>((_, reject) => ended.addEventListener("abort", () => reject(ended.reason)));
    return await Promise.race([aborted, attempt(ended)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** Whether nothing listens at the address, as Node, Deno and Bun say it. A browser does not tell. */
function isRefused({ cause }: PetstoreError): boolean {
  for (const { code, message = "" } of errorAndCauses(cause)) {
    if (code === "ECONNREFUSED" || code === "ConnectionRefused" || /connection refused/i.test(message)) return true;
  }
  return false;
}

/** The pause after a failure, in milliseconds; Infinity if the same request would fail again. */
function pauseAfter(failure: PetstoreError, retries: number, refusals: number): number {
  const { code, status, retryAfterMs = 0 } = failure;
  const isTransient = code === "connection_failed" || TRANSIENT_STATUSES.includes(status);
  if (!isTransient || refusals > REFUSED_RETRIES) return Infinity;
  // Each pause is random, so that clients that failed together do not come back together: within a fifth, or from zero on ("full jitter")
  // beyond what the server asks for.
  if (refusals > 0) return REFUSED_PAUSE_MS * (0.8 + 0.4 * Math.random());
  return retryAfterMs + Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** retries);
}

/** Adds to the last failure how many attempts got no response, and whether an earlier one may have been carried out. */
function withHistory(
  failure: PetstoreError,
  retries: number,
  unclearFailure: PetstoreError | undefined,
): PetstoreError {
  if (failure.code === "connection_failed" && retries > 0) failure.message += ` (${retries + 1} attempts)`;
  if (unclearFailure) failure.cause ??= unclearFailure;
  return failure;
}

/** Waits for a time, or until the signal is aborted. The next attempt then throws the reason of the signal. */
function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });
}
