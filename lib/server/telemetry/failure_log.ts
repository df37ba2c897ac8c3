/** Tells the operator which requests failed: the first failure of a kind at once, and then once a second how many more there were. */

import type { ErrorInfo } from "../../http/recovery.ts";
import { targetOf } from "../../http/request_text.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { withoutAdvice } from "../process/lines.ts";
import type { LineWriter } from "../process/writers.ts";
import { loggedMethod, loggedTarget } from "./logged_target.ts";

export interface FailureLog {
  /** Tells a failure at once, unless one of its kind was told within the last second. */
  add(failure: ErrorInfo): void;
  /** Tells what has not been told yet. */
  close(): void;
}

/** The time between two lines about failures of one kind, in milliseconds. */
const REPEAT_INTERVAL = 1000;

export function createFailureLog(errorOutput: Pick<LineWriter, "add">, isJson: boolean): FailureLog {
  /** The kinds that were told within the last second, each with the number of failures since, and the last of them. */
  const told = new Map<string, { untoldCount: number; last: ErrorInfo }>();
  /** Calls `tellRepeated()` a second later. It runs as long as `told` has a kind. */
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Tells the failures that are not told yet, and forgets the kinds that have not failed since this was last called. */
  function tellRepeated(): void {
    clearTimeout(timer);
    for (const [kind, entry] of told) {
      if (entry.untoldCount === 0) told.delete(kind);
      else errorOutput.add(describeFailure(entry.last, isJson, entry.untoldCount));
      entry.untoldCount = 0;
    }
    timer = told.size === 0 ? undefined : setTimeout(tellRepeated, REPEAT_INTERVAL);
  }

  return {
    add(failure) {
      // Numbers do not make another kind, because those in a reason, such as a time limit, differ from one request to the next.
      const kind = String(failure.error).replace(/\d+/g, "0");
      const entry = told.get(kind);
      if (entry) {
        entry.untoldCount++;
        entry.last = failure;
        return;
      }
      told.set(kind, { untoldCount: 0, last: failure });
      errorOutput.add(describeFailure(failure, isJson));
      timer ??= setTimeout(tellRepeated, REPEAT_INTERVAL);
    },
    close() {
      tellRepeated();
      clearTimeout(timer);
    },
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
