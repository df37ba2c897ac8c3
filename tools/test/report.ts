/** Reads what `deno test` prints: how many tests passed, which failed, and why others did not run. */

/** How many of the last lines are shown of a part that failed without an error of a test. */
const LAST_LINES = 40;

const SUMMARY = /^(?:ok|FAILED) \| (\d+) passed.*\| (\d+) failed(?:.*\| (\d+) ignored)?.*$/gm;

/** The sum of all summaries, in the form of each: a part may start several runners. */
export function totalOf(outputs: readonly string[]): string {
  const sums = [0, 0, 0];
  for (const [, ...counts] of outputs.join("\n").matchAll(SUMMARY)) {
    for (const [i, count] of counts.entries()) sums[i]! += Number(count ?? 0);
  }
  return `${sums[0]} passed | ${sums[1]} failed | ${sums[2]} ignored`;
}

/** What `deno test` says of the failures, in full, or the last lines of a part that failed otherwise. */
export function errorsIn(output: string): string {
  const sections = [...output.matchAll(/^ ERRORS \n([^]*?)^ FAILURES /gm)].map(([, errors = ""]) => errors.trim());
  return sections.length > 0 ? sections.join("\n\n") : output.trimEnd().split("\n").slice(-LAST_LINES).join("\n");
}

/** Why tests did not run, with their number. The reason stands in the name of each. */
export function reasonsIn(outputs: readonly string[]): Map<string, number> {
  const reasons = new Map<string, number>();
  for (const [, name = ""] of outputs.join("\n").matchAll(/^(.*) \.\.\. ignored/gm)) {
    const reason = /skipped: (.*)\)$/.exec(name)?.[1] ?? `it says so: ${name.trim()}`;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return reasons;
}
