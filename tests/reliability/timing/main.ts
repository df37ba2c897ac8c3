import { parseFlags, tryRead, UsageError } from "../../support/command_line.ts";
import { createCases, type TimingCase } from "./cases.ts";
import { measure } from "./measure.ts";
import type { TestResult } from "./welch.ts";

const HELP = `deno task reliability timing [options]

  --seconds N  how long all cases together are measured, 15 unless given
  --help       this text`;

/** Standard errors that the means must lie apart before it counts as a difference; dudect's choice. */
const THRESHOLD = 10;

const HEADINGS = ["case", "largest |t|", "difference", "would see", "measurements", "verdict"];

async function run(seconds: number): Promise<number> {
  const cases = await createCases();
  const weights = cases.reduce((sum, { weight }) => sum + weight, 0);
  const rows = [HEADINGS];
  let isGood = true;
  for (const each of cases) {
    const tests = await measure(each, 1000 * seconds * each.weight / weights);
    const results = tests.results(each.fewest);
    const [isAsWanted, verdict] = judge(each, results);
    isGood &&= isAsWanted;
    rows.push([each.name, ...figures(results), verdict]);
  }
  print(rows);
  console.log(
    isGood
      ? `\nNo leak seen. A difference of less than what a row "would see" (${THRESHOLD} standard errors) is not excluded.`
      : "\nNot passed: see the verdicts.",
  );
  return isGood ? 0 : 1;
}

/** Whether the case came out as it must, and that in words. */
function judge({ expected }: TimingCase, results: TestResult[]): [isAsWanted: boolean, verdict: string] {
  if (results.length === 0) return [false, "too few measurements: no verdict"];
  const isDifferent = largest(results) > THRESHOLD;
  if (expected === "told") return [true, isDifferent ? "differs, as SECURITY.md says" : "no difference seen"];
  if (expected === "control") {
    return [isDifferent, isDifferent ? "leak found, as it must be" : "NO POWER: a leak that is there was not found"];
  }
  return [!isDifferent, isDifferent ? "LEAK" : "no difference"];
}

function largest(results: TestResult[]): number {
  return Math.max(...results.map(({ t }) => Math.abs(t)));
}

/** The test that saw most, and the smallest difference that any of them would have called one. */
function figures(results: TestResult[]): string[] {
  const strongest = results.find(({ t }) => Math.abs(t) === largest(results));
  if (!strongest) return ["", "", "", ""];
  const finest = Math.min(...results.map(({ standardError }) => standardError));
  return [
    Math.abs(strongest.t).toFixed(1),
    nanoseconds(strongest.difference),
    nanoseconds(THRESHOLD * finest),
    strongest.count.toLocaleString("en"),
  ];
}

function nanoseconds(milliseconds: number): string {
  return `${(milliseconds * 1e6).toFixed(1)} ns`;
}

function print(rows: string[][]): void {
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd());
}

const { seconds } = tryRead(() => {
  const values = parseFlags(Deno.args, HELP, { seconds: { type: "string", default: "15" } });
  if (!(Number(values.seconds) > 0)) throw new UsageError("--seconds must be a number above 0");
  return { seconds: Number(values.seconds) };
});
Deno.exit(await run(seconds));
