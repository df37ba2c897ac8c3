/** Tells the operator which requests failed: the first failure of a kind at once, and then once a second how many more there were. */

import type { ErrorInfo } from "../../http/recovery.ts";
import type { LineWriter } from "../process/writers.ts";
import { describeFailure } from "./messages.ts";

export interface FailureLog {
  /** Tells a failure at once, unless one of its kind was told within the last second. */
  add(failure: ErrorInfo): void;
  /** Tells what has not been told yet. */
  close(): void;
}

/** The time between two lines about failures of one kind, in milliseconds. */
const REPEAT_INTERVAL = 1000;

/** How many kinds of failures are told apart. Further kinds count as one, so that memory stays constant. */
const MAX_KINDS = 100;

export function createFailureLog(errors: Pick<LineWriter, "add">, isJson: boolean): FailureLog {
  /** The kinds that were told within the last second, each with the number of failures since, and the last of them. */
  const told = new Map<string, { untoldCount: number; last: ErrorInfo }>();
  /** Calls `onTimer()` a second later. It runs as long as `told` has a kind. */
  let timer: ReturnType<typeof setTimeout> | undefined;

  function kindOf({ error, request }: ErrorInfo): string {
    // Numbers do not make another kind, because those in a reason, such as a time limit, differ from one request to the next.
    const kind = `${request.method} ${String(error)}`.replace(/\d+/g, "0");
    return told.size < MAX_KINDS || told.has(kind) ? kind : "others";
  }

  /** Tells the failures that are not told yet, and forgets the kinds that have not failed since this was last called. */
  function tellRepeated(): void {
    for (const [kind, entry] of told) {
      if (entry.untoldCount === 0) told.delete(kind);
      else errors.add(describeFailure(entry.last, isJson, entry.untoldCount));
      entry.untoldCount = 0;
    }
  }

  function onTimer(): void {
    tellRepeated();
    timer = told.size === 0 ? undefined : setTimeout(onTimer, REPEAT_INTERVAL);
  }

  return {
    add(failure) {
      const kind = kindOf(failure);
      const entry = told.get(kind);
      if (entry) {
        entry.untoldCount++;
        entry.last = failure;
        return;
      }
      told.set(kind, { untoldCount: 0, last: failure });
      errors.add(describeFailure(failure, isJson));
      timer ??= setTimeout(onTimer, REPEAT_INTERVAL);
    },
    close() {
      clearTimeout(timer);
      tellRepeated();
    },
  };
}
