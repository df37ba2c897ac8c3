import { PetstoreError } from "./error.ts";
import type { KeptError } from "./redaction.ts";

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
 * While nothing listens at the address, a request is repeated so often, after pauses of about this
 * time in milliseconds. A server that restarts is back by then.
 */
const REFUSED_RETRIES = 5;
const REFUSED_PAUSE_MS = 500;

/**
 * An attempt may never be answered. So one that is followed by another gets a third of the whole
 * time, but not less than this, in milliseconds. The last attempt gets all the time that is left.
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
  /** The failure of the attempt before. It may leave unclear whether the server has carried out the request. */
  let earlierFailure: PetstoreError | undefined;
  /** How many attempts in a row were refused, because nothing listens at the address. */
  let refusals = 0;
  for (let retries = 0;; retries++) {
    const isLast = retries >= maxRetries;
    let failure: PetstoreError;
    try {
      return await runAttempt(attempt, limitOf(end - performance.now(), timeoutMs, isLast), signal);
    } catch (error) {
      // The app's own reason is thrown unchanged, also if it is a PetstoreError, such as that of another call.
      signal?.throwIfAborted();
      if (!(error instanceof PetstoreError)) throw error;
      failure = error;
    }
    refusals = isRefused(failure) ? refusals + 1 : 0;
    const canRetry = !isLast && isTransient(failure) && refusals <= REFUSED_RETRIES;
    const pause = pauseAfter(failure, retries, refusals);
    // A pause beyond the end of the call would end in the same failure, only later.
    if (!canRetry || performance.now() + pause >= end) throw withHistory(failure, retries, earlierFailure);
    earlierFailure = failure;
    await sleep(pause, signal);
  }
}

/** How long an attempt may take, and the error that it ends with then. */
interface Limit {
  milliseconds: number;
  expiry: PetstoreError;
}

/** The limit of an attempt: a share of the whole time, or all that is left if no other attempt can follow. */
function limitOf(timeLeft: number, timeoutMs: number, isLast: boolean): Limit {
  const share = Math.max(SHORTEST_ATTEMPT_MS, timeoutMs / 3);
  if (isLast || timeLeft <= share) {
    return { milliseconds: timeLeft, expiry: new PetstoreError("deadline_exceeded", noResponseWithin(timeoutMs)) };
  }
  return { milliseconds: share, expiry: new PetstoreError("connection_failed", noResponseWithin(share)) };
}

function noResponseWithin(milliseconds: number): string {
  return `No response within ${Math.round(milliseconds)} ms`;
}

/**
 * Makes one attempt. It ends at its limit, and at the abort, even if the attempt ignores its
 * signal. Leaves no timer and no listener behind.
 */
async function runAttempt<T>(
  attempt: Attempt<T>,
  { milliseconds, expiry }: Limit,
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
  const { code, message = "" } = (cause ?? {}) as Partial<KeptError>;
  return code === "ECONNREFUSED" || code === "ConnectionRefused" || /connection refused/i.test(message);
}

/** Whether the same request may succeed later. */
function isTransient({ code, status }: PetstoreError): boolean {
  return code === "connection_failed" || TRANSIENT_STATUSES.includes(status);
}

/**
 * The pause before the next attempt, in milliseconds. It is random, so that clients that failed
 * together do not come back together: within a fifth after a refused connection, and otherwise from
 * zero on ("full jitter") beyond what the server asks for.
 */
function pauseAfter({ retryAfterMs = 0 }: PetstoreError, retries: number, refusals: number): number {
  if (refusals > 0) return REFUSED_PAUSE_MS * (0.8 + 0.4 * Math.random());
  return retryAfterMs + Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** retries);
}

/** Adds to the last failure how many attempts got no response, and the failure of the attempt before. */
function withHistory(failure: PetstoreError, retries: number, earlier: PetstoreError | undefined): PetstoreError {
  if (failure.code === "connection_failed" && retries > 0) failure.message += ` (${retries + 1} attempts)`;
  if (earlier) failure.cause ??= earlier;
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
