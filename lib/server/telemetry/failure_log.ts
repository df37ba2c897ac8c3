/**
 * Tells the operator which requests failed: the first failure of a kind at once, and at the end of
 * the second how many more there were. So an outage does not fill the log.
 */

import type { ErrorInfo } from "../../http/recovery.ts";
import { targetOf } from "../../http/request_text.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { withoutAdvice } from "../process/messages.ts";
import type { LineWriter } from "../process/writers.ts";
import { loggedMethod, loggedTarget } from "./logged_target.ts";

export interface FailureLog {
  /** Tells a failure at once, unless one of its kind was told in this second. */
  add(failure: ErrorInfo): void;
  /** Tells what has not been told yet. */
  close(): void;
}

/** How long failures are counted before their number is told, in milliseconds. */
const INTERVAL_MS = 1000;

export function createFailureLog(errorOutput: Pick<LineWriter, "add">, isJson: boolean): FailureLog {
  /** The kinds of failures of this second, each with the last failure, and how many came after the first one. */
  const kinds = new Map<string, { last: ErrorInfo; repeats: number }>();
  /** Ends this second. It is undefined while there is no failure. */
  let timer: ReturnType<typeof setTimeout> | undefined;

  function endSecond(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const { last, repeats } of kinds.values()) {
      if (repeats > 0) errorOutput.add(describeFailure(last, isJson, repeats));
    }
    kinds.clear();
  }

  return {
    add(failure) {
      timer ??= setTimeout(endSecond, INTERVAL_MS);
      // Numbers do not make another kind, because those in a reason, such as a time limit, differ
      // from one request to the next.
      const kind = String(failure.error).replace(/\d+/g, "0");
      const known = kinds.get(kind);
      kinds.set(kind, { last: failure, repeats: known ? known.repeats + 1 : 0 });
      if (!known) errorOutput.add(describeFailure(failure, isJson));
    },
    close: endSecond,
  };
}

/**
 * The line of a failed request.
 *
 * @param times How many failures of this kind the line stands for.
 */
function describeFailure({ error, request, requestId }: ErrorInfo, isJson: boolean, times = 1): string {
  const reason = withoutAdvice(describeError(error));
  const facts = {
    time: new Date().toISOString(),
    requestId,
    method: loggedMethod(request.method),
    target: loggedTarget(targetOf(request.url)),
  };
  if (isJson) {
    return JSON.stringify({ ...facts, message: "The request failed", error: reason, ...(times > 1 && { times }) });
  }
  return `${Object.values(facts).join(" ")} failed: ${reason}${times > 1 ? ` (${times} times)` : ""}`;
}

/** An unavailable store needs no stack trace. Any other error is a bug and gets one. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return String(error instanceof StoreUnavailableError ? error.message : error.stack);
}
