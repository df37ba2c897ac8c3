import { type ClientErrorCode, PetstoreError } from "./error.ts";
import { chainOf } from "./request.ts";

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
export async function retry<T extends object>(
  attempt: (signal: AbortSignal) => Promise<T>,
  { timeoutMs, maxRetries, signal }: RetryLimits,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  /** The longest that an attempt may take if another one may follow. */
  const share = Math.max(SHORTEST_ATTEMPT_MS, timeoutMs / 3);
  /** The last failure after which the server may have carried out the request all the same. */
  let doubtful: PetstoreError | undefined;
  /** How many attempts in a row were refused, because nothing listens at the address. */
  let refusals = 0;
  for (let retries = 0;; retries++) {
    const timeLeft = end - performance.now();
    const isLast = retries >= maxRetries;
    const hasAllTime = isLast || share >= timeLeft;
    const createLateError = () =>
      hasAllTime ? noResponse("deadline_exceeded", timeoutMs) : noResponse("connection_failed", share);
    let failure: PetstoreError;
    try {
      return await runAttempt(attempt, hasAllTime ? timeLeft : share, createLateError, signal);
    } catch (error) {
      // The app's own reason is thrown unchanged, also if it is a PetstoreError, such as that of another call.
      signal?.throwIfAborted();
      if (!(error instanceof PetstoreError)) throw error;
      failure = error;
    }
    const wasRefused = isRefused(failure);
    refusals = wasRefused ? refusals + 1 : 0;
    const pause = wasRefused ? refusedPause() : (failure.retryAfterMs ?? 0) + jitter(retries);
    // A pause beyond the end of the call would end in the same failure, only later.
    const isTooLong = performance.now() + pause >= end;
    if (isLast || isTooLong || refusals > REFUSED_RETRIES || !isTransient(failure)) {
      throw withHistory(failure, retries, doubtful);
    }
    // A 429 was refused before it was carried out, and a refused connection has carried nothing.
    if (failure.status !== 429 && !wasRefused) doubtful = failure;
    await sleep(pause, signal);
  }
}

function noResponse(code: ClientErrorCode, milliseconds: number): PetstoreError {
  return new PetstoreError(code, `No response within ${Math.round(milliseconds)} ms`);
}

/** Makes one attempt. It ends after its time or the abort even if the attempt ignores its signal. */
async function runAttempt<T extends object>(
  attempt: (signal: AbortSignal) => Promise<T>,
  milliseconds: number,
  createLateError: () => PetstoreError,
  signal: AbortSignal | undefined,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  try {
    const answer = await within(milliseconds, signal, () => attempt(controller.signal));
    if (answer === undefined) throw createLateError();
    return answer;
  } catch (error) {
    controller.abort(error);
    throw error;
  }
}

/** Whether nothing listens at the address, as Node, Deno and Bun say it. A browser does not tell. */
function isRefused({ cause }: PetstoreError): boolean {
  return [...chainOf(cause)].some(({ code, message = "" }) =>
    code === "ECONNREFUSED" || code === "ConnectionRefused" || /connection refused/i.test(message)
  );
}

/** The pause after a refused connection, in milliseconds. It is random within a fifth, so that clients do not come back together. */
function refusedPause(): number {
  return REFUSED_PAUSE_MS * (0.8 + 0.4 * Math.random());
}

/** The pause before a retry is random from zero on ("full jitter"), so that clients that failed together do not come back together. */
function jitter(retries: number): number {
  return Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** retries);
}

/** Whether the same request may succeed later. */
function isTransient({ code, status }: PetstoreError): boolean {
  return code === "connection_failed" || TRANSIENT_STATUSES.includes(status);
}

/** Adds to the last failure how many attempts got no response, and whether an earlier one may have been carried out. */
function withHistory(failure: PetstoreError, retries: number, doubtful: PetstoreError | undefined): PetstoreError {
  if (failure.code === "connection_failed" && retries > 0) failure.message += ` (${retries + 1} attempts)`;
  if (doubtful) failure.cause ??= doubtful;
  return failure;
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return within(milliseconds, signal, () => new Promise(() => {}));
}

/** Waits for `work`, or only until the time has passed. Rejects once the signal is aborted. Leaves no timer and no listener behind. */
async function within<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = () => {};
  try {
    return await new Promise<T | undefined>((resolve, reject) => {
      abort = () => reject(signal!.reason);
      signal?.addEventListener("abort", abort);
      timer = setTimeout(() => resolve(undefined), milliseconds);
      work().then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
