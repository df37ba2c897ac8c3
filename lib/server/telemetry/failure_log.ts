/** Tells the operator which requests failed: the first failure of a kind at once, and then once a second how many more there were. */

import type { ErrorInfo } from "../../http/recovery.ts";
import type { LineWriter } from "../process/writers.ts";
import { describeFailure } from "./messages.ts";

export type FailureLog = ReturnType<typeof createFailureLog>;

/** The time between two lines about failures of one kind, in milliseconds. */
const REPEAT_INTERVAL = 1000;

/** How many kinds of failures are told apart. Further kinds count as one, so that memory stays constant. */
const MAX_KINDS = 100;

export function createFailureLog(errors: Pick<LineWriter, "add">, isJson: boolean) {
  /** The kinds that were told within the last second, each with the number of failures since, and the last of them. */
  const told = new Map<string, { untoldCount: number; last: ErrorInfo }>();
  /** Calls `tellRepeated()` a second later. It runs as long as `told` has a kind. */
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Tells the failures that are not told yet, and forgets the kinds that have not failed for a second. */
  function tellRepeated(): void {
    for (const [kind, entry] of told) {
      if (entry.untoldCount === 0) told.delete(kind);
      else errors.add(describeFailure(entry.last, isJson, entry.untoldCount));
      entry.untoldCount = 0;
    }
    timer = told.size === 0 ? undefined : setTimeout(tellRepeated, REPEAT_INTERVAL);
  }

  return {
    add(failure: ErrorInfo): void {
      const { error, request } = failure;
      // Numbers do not make another kind, because those in a reason, such as a time limit, differ from one request to the next.
      const ownKind = `${request.method} ${String(error)}`.replace(/\d+/g, "0");
      const kind = told.size < MAX_KINDS || told.has(ownKind) ? ownKind : "others";
      const entry = told.get(kind);
      if (entry) {
        entry.untoldCount++;
        entry.last = failure;
        return;
      }
      told.set(kind, { untoldCount: 0, last: failure });
      errors.add(describeFailure(failure, isJson));
      timer ??= setTimeout(tellRepeated, REPEAT_INTERVAL);
    },
    /** Tells what has not been told yet. */
    close(): void {
      clearTimeout(timer);
      tellRepeated();
      // This has set a timer anew.
      clearTimeout(timer);
    },
  };
}
