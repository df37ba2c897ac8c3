import { defineTool } from "../tool.ts";
import { createCases, type TimingCase } from "./cases.ts";
import { measure } from "./measure.ts";
import type { TestResult } from "./welch.ts";

const ABOUT =
  `Measures whether the time of a key check tells anything about the keys. For each case: the largest |t|, the difference in
nanoseconds, the smallest difference that would have been seen, and the number of measurements.`;

/** Standard errors that the means must lie apart before it counts as a difference; dudect's choice. */
const THRESHOLD = 10;

/** No verdict on fewer measurements of a class. */
const FEWEST = 10_000;

export const TIMING = defineTool<{ seconds: number }>(ABOUT, {
  seconds: [15, "how long all cases together are measured"],
}, async ({ seconds }) => {
  const cases = createCases();
  const figures: Record<string, string> = {};
  const findings = [];
  for (const each of cases) {
    const tests = await measure(each, 1000 * seconds / cases.length);
    const results = tests.results(FEWEST);
    figures[each.name] = format(results);
    const wrong = judge(each, results);
    if (wrong !== undefined) findings.push({ kind: "timing", detail: `${each.name}: ${wrong}` });
  }
  return { figures, findings };
});

/** What is wrong with the outcome of a case. */
function judge({ expected }: TimingCase, results: TestResult[]): string | undefined {
  if (results.length === 0) return "there are too few measurements";
  const isDifferent = largest(results) > THRESHOLD;
  if (expected === "same" && isDifferent) return "there is a leak";
  return expected === "control" && !isDifferent ? "a leak that is there was not found" : undefined;
}

function largest(results: TestResult[]): number {
  return Math.max(...results.map(({ t }) => Math.abs(t)));
}

/** The test that saw most, and the smallest difference that any of them would have called one. */
function format(results: TestResult[]): string {
  const strongest = results.find(({ t }) => Math.abs(t) === largest(results));
  if (!strongest) return "nothing";
  const finest = Math.min(...results.map(({ standardError }) => standardError));
  const [difference, visible] = [strongest.difference, THRESHOLD * finest].map((ms) => `${(ms * 1e6).toFixed(1)} ns`);
  return `|t| ${
    Math.abs(strongest.t).toFixed(1)
  }, ${difference}, would see ${visible}, ${strongest.count} measurements`;
}
