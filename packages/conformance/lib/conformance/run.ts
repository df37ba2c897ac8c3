import type { ConformanceCase, ConformanceError } from "./conformance.ts";
import type { Result } from "./report.ts";

/**
 * The number of cases in a row without a response after which the others are not tried, because each would wait for its
 * time limit.
 */
const MOST_UNANSWERED = 5;

/** Runs one case after the other. */
export async function* runAll(cases: readonly ConformanceCase[], signal: AbortSignal): AsyncGenerator<Result> {
  let unanswered = 0;
  for (const { run, skip, ...topic } of cases) {
    const begun = performance.now();
    const result: Result = { ...topic, outcome: "pass", seconds: 0 };
    try {
      if (skip) Object.assign(result, { reason: skip, isImpossible: true });
      else if (signal.aborted) result.reason = String(signal.reason);
      else if (unanswered >= MOST_UNANSWERED) result.reason = `${unanswered} cases in a row got no response`;
      else result.reason = await run();
      if (result.reason !== undefined) result.outcome = "skip";
      else unanswered = 0;
    } catch (error) {
      const { reason, exchange, isUnanswered } = error as ConformanceError;
      Object.assign(result, { outcome: "fail", reason, exchange });
      unanswered = isUnanswered ? unanswered + 1 : 0;
    }
    yield { ...result, seconds: (performance.now() - begun) / 1000 };
  }
}
