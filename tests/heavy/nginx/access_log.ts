import assert from "node:assert/strict";

export function assertLog(stdout: string, expected: string[]): void {
  const lines = stdout.split("\n").filter((line) => /^\d{4}-/.test(line));
  const seen = lines.map((line) => /^\S+Z 127\.0\.0\.1 (.+) \d+\.\dms$/.exec(line)?.[1] ?? line);
  assert.deepEqual(seen, expected);
}
