/** How many requests failed for a reason, according to standard error. A line may stand for several. */
export function countFailures(stderr: string, reason: string): number {
  const lines = stderr.split("\n").filter((line) => line.includes(` failed: ${reason}`));
  return lines.reduce((sum, line) => sum + Number(/ \((\d+) times\)$/.exec(line)?.[1] ?? 1), 0);
}
