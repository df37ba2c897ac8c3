import assert from "node:assert/strict";
import { test } from "node:test";
import { newSeed } from "../../../tests/support/random.ts";
import { NO_PROC, testUnless } from "../../../tests/support/system/commands.ts";
import { withTempFolder } from "../../../tests/support/temp.ts";
import { judge, runSoak, type Sample } from "./tool.ts";

testUnless(NO_PROC)("a short soak finds nothing", () =>
  withTempFolder(async (folder) => {
    const seed = newSeed();
    const run = { folder, seed, log: () => {} };
    const { samples, figures, findings } = await runSoak({ minutes: 0.02, clients: 32, workers: 1 }, run);
    assert.deepEqual(findings, [], `seed ${seed}`);
    assert.ok(figures.requests > 0 && figures.creates > 0 && samples.length > 0);
    for (const { rss, files, log } of samples) assert.ok(rss > 1 && files > 3 && log >= 0);
  }));

const MINUTES = 10;

/** Ten minutes in which memory goes up and down with the collector, and by `leak` MB a minute besides. */
function run(leak: number, log = 4.1): Sample[] {
  return Array.from({ length: MINUTES * 60 }, (_, second): Sample => {
    const rss = 140 + 15 * Math.min(1, second / 40) + second % 7 * 5 + leak * second / 60;
    return { second, rss, files: 61, log: second === 300 ? log : 4.1 };
  });
}

test("memory that goes up and down is no finding; 16 bytes in each of 9000 requests a second, and a long log, are", () => {
  assert.deepEqual(judge(run(0)), []);
  assert.match(judge(run(16 * 9000 * 60 / 1e6))[0]?.detail ?? "", /^Memory grew/);
  assert.match(judge(run(0, 8.1))[0]?.detail ?? "", /^The log grew/);
});
