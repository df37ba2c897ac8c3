/** Reads what `deno test` prints: how many tests passed, which failed, and why others did not run. */

export interface Counts {
  passed: number;
  failed: number;
  ignored: number;
}

/** How many of the last lines are shown of a part that failed without an error of a test. */
const LAST_LINES = 40;

const SUMMARY = /^(?:ok|FAILED) \| (\d+) passed.*\| (\d+) failed(?:.*\| (\d+) ignored)?.*$/gm;

/** The sum of all summaries, because a part may start several runners, and their lines. */
export function countsIn(output: string): { counts: Counts; summary: string } {
  const counts = { passed: 0, failed: 0, ignored: 0 };
  const lines: string[] = [];
  for (const [line, passed, failed, ignored] of output.matchAll(SUMMARY)) {
    counts.passed += Number(passed);
    counts.failed += Number(failed);
    counts.ignored += Number(ignored ?? 0);
    lines.push(line);
  }
  return { counts, summary: lines.join("; ") || "ended without a summary" };
}

/** What `deno test` says of the failures, in full, or the last lines of a part that failed otherwise. */
export function errorsIn(output: string): string {
  const sections = [...output.matchAll(/^ ERRORS \n([^]*?)^ FAILURES /gm)].map(([, errors = ""]) => errors.trim());
  return sections.length > 0 ? sections.join("\n\n") : output.trimEnd().split("\n").slice(-LAST_LINES).join("\n");
}

/** The names of the tests that failed, each with its place and the first line of its error. */
export function failuresIn(output: string): string[] {
  const errors = errorsIn(output);
  const found = [...errors.matchAll(/^(.+ => \.\S+)\n(?:error: )?(.*)$/gm)];
  if (found.length === 0) return [lastErrorIn(errors)];
  return found.map(([, place = "", error = ""]) => `${place}: ${error}`);
}

/** What names the error of a part without tests, such as a formatter: the last line that begins with it, or the last line. */
function lastErrorIn(output: string): string {
  const lines = output.split("\n");
  return lines.findLast((line) => line.startsWith("error: ")) ?? lines.at(-1) ?? "";
}

/** Why tests did not run, with their number. The reason stands in the name of each. */
export function reasonsIn(outputs: readonly string[]): Map<string, number> {
  const reasons = new Map<string, number>();
  for (const output of outputs) {
    for (const [, name = ""] of output.matchAll(/^(.*) \.\.\. ignored/gm)) {
      const reason = /skipped: (.*)\)$/.exec(name)?.[1] ?? `it says so: ${name.trim()}`;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
  }
  return reasons;
}

/** A table of what parts took, in seconds, the longest first. */
export function timesOf(parts: readonly { name: string; took: number; installing: number }[]): string {
  const seconds = (milliseconds: number) => `${Math.round(milliseconds / 1000)} s`;
  const rows = parts.toSorted((one, other) => other.took - one.took)
    .map(({ name, took, installing }) =>
      `  ${name.padEnd(24)}${seconds(took).padStart(6)}${seconds(installing).padStart(10)}`
    );
  return [`  ${"part".padEnd(24)}${"took".padStart(6)}${"install".padStart(10)}`, ...rows].join("\n");
}

/** Formats the total of all parts in a line, as `deno test` does. */
export function total(all: readonly Counts[], hasFailed: boolean, milliseconds: number): string {
  const sum = (name: keyof Counts) => all.reduce((before, counts) => before + counts[name], 0);
  const seconds = Math.round(milliseconds / 1000);
  const time = seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
  const counts = `${sum("passed")} passed | ${sum("failed")} failed | ${sum("ignored")} ignored`;
  return `${hasFailed ? "FAILED" : "ok"} | ${counts} (${time})`;
}
