import { type ClientErrorCode, PetstoreError } from "./error.ts";
import { chainOf } from "./request.ts";

export interface RetryLimits {
  timeoutMs: number;
  maxRetries: number;
  signal: AbortSignal | undefined;
}

/** Statuses after which the same request may succeed. */
const PASSING = [408, 429, 502, 503, 504];

/** The bound of the first pause and of the longest, in milliseconds. */
const FIRST = 100, LONGEST = 5_000;

/** How long a client tries while nothing listens at the address, in milliseconds. A server that restarts is back by then. */
const REFUSED = 2_500;

/**
 * The shortest time for an attempt that may be repeated, in milliseconds. Otherwise it has a third of the time, because
 * it may stay silent.
 */
const SHORTEST_ATTEMPT = 1_000;

/**
 * @throws {PetstoreError} The failure of the last attempt, or `deadline_exceeded`.
 * @throws The reason of `signal`, once that is aborted.
 */
export async function retry<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  { timeoutMs, maxRetries, signal }: RetryLimits,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  let last: PetstoreError | undefined, doubtful: PetstoreError | undefined;
  let refusedSince: number | undefined;
  for (let retries = 0;; retries++) {
    const left = end - performance.now();
    const limit = retries < maxRetries ? Math.max(SHORTEST_ATTEMPT, timeoutMs / 3) : left;
    const isLastTime = limit >= left;
    const code: ClientErrorCode = isLastTime ? "deadline_exceeded" : "connection_failed";
    const time = isLastTime ? timeoutMs : Math.round(limit);
    const lateError = () => new PetstoreError(code, `No response within ${time} ms`, { cause: last });
    try {
      return await within(attempt, Math.min(limit, left), lateError, signal);
    } catch (error) {
      if (!(error instanceof PetstoreError)) throw error;
      const now = performance.now();
      let delay = (error.retryAfterMs ?? 0) + jitter(retries);
      refusedSince = isRefused(error) ? refusedSince ?? now : undefined;
      // The last attempt at an address where nothing listens is at the end of the time for that.
      const patience = refusedSince === undefined ? Infinity : refusedSince + REFUSED - now;
      if (patience > 0) delay = Math.min(delay, patience);
      // A wait beyond the end of the call would end in the same failure, only later.
      const isOver = patience <= 0 || now + delay >= end;
      if (retries >= maxRetries || !isPassing(error) || isOver) {
        if (error.code === "connection_failed" && retries > 0) error.message += ` (${retries + 1} attempts)`;
        // The server may have carried out an earlier attempt, though it refused the last one.
        if (doubtful) error.cause ??= doubtful;
        throw error;
      }
      last = error;
      if (error.status !== 429) doubtful ??= error;
      await sleep(delay, signal);
    }
  }
}

function isPassing({ code, status, cause }: PetstoreError): boolean {
  // A response that was too long is not asked for again: the next one would be as long.
  return code === "connection_failed" || (PASSING.includes(status) && !(cause instanceof RangeError));
}

/** Whether nothing listens at the address, as Node, Deno and Bun say it. A browser does not tell. */
function isRefused({ cause }: PetstoreError): boolean {
  return [...chainOf(cause)].some(({ code, message = "" }) =>
    code === "ECONNREFUSED" || code === "ConnectionRefused" || /connection refused/i.test(message)
  );
}

/** Full jitter: clients that failed together do not come back together. */
function jitter(retries: number): number {
  return Math.random() * Math.min(LONGEST, FIRST * 2 ** retries);
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
