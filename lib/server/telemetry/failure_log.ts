/** Tells which requests failed: the first of a kind at once, and then once a second how often it happened. */

import type { ErrorInfo } from "../../http/recovery.ts";
import type { LineWriter } from "../process/writers.ts";
import { describeFailure } from "./messages.ts";

export type FailureLog = ReturnType<typeof createFailureLog>;

/** How often the failures of a kind are told at most, in milliseconds. */
const INTERVAL = 1000;

/** How many kinds of failures are told apart, so that memory stays constant. */
const MAX_KINDS = 100;

export function createFailureLog(errors: Pick<LineWriter, "add">, isJson: boolean) {
  /** The kinds that were told within the last second, how often each has happened since, and the last time. */
  const told = new Map<string, { times: number; last: ErrorInfo }>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function tell(): void {
    for (const [kind, entry] of told) {
      if (entry.times === 0) told.delete(kind);
      else errors.add(describeFailure(entry.last, isJson, entry.times));
      entry.times = 0;
    }
    timer = told.size === 0 ? undefined : setTimeout(tell, INTERVAL);
  }

  return {
    add(failure: ErrorInfo): void {
      const { error, request } = failure;
      // Numbers in a reason, such as a time limit, differ from one request to the next.
      const exact = `${request.method} ${String(error)}`.replace(/\d+/g, "0");
      const kind = told.size < MAX_KINDS || told.has(exact) ? exact : "others";
      const known = told.get(kind);
      if (known) {
        known.times++;
        known.last = failure;
        return;
      }
      told.set(kind, { times: 0, last: failure });
      errors.add(describeFailure(failure, isJson));
      timer ??= setTimeout(tell, INTERVAL);
    },
    /** Tells what has not been told yet. */
    close(): void {
      clearTimeout(timer);
      tell();
      clearTimeout(timer);
    },
  };
}
