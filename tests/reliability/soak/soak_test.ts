import assert from "node:assert/strict";
import { runSoak } from "./run.ts";
import type { Sample } from "./sample.ts";
import { judge, type Run } from "./verdict.ts";
import { withTempFolder } from "../../support/temp.ts";
import { NO_PROC, testUnless } from "../../support/system/commands.ts";

const test = Object.assign(testUnless(false), { onLinux: testUnless(NO_PROC) });

test.onLinux("a short soak has no findings and leaves no file open", () =>
  withTempFolder(async (folder) => {
    let seen = 0;
    const report = await runSoak({ minutes: 0.02, clients: 32, seed: 1, workers: 1 }, folder, () => seen++);
    assert.deepEqual(report.findings, []);
    assert.ok(report.figures.requests > 200 && report.figures.creates > 20);
    assert.ok(seen > 0 && report.samples.length === seen);
    for (const { rss, anonymous, files, log } of report.samples) {
      assert.ok(rss > anonymous && anonymous > 1 && files > 3 && log > 0);
    }
  }));

const MINUTES = 10;

/** Ten minutes in which memory goes up and down with the collector, and by `leak` MB a minute besides. */
function run(leak: number, parts: Partial<Run> = {}, log = 4.1): Run {
  const samples = Array.from({ length: MINUTES * 60 }, (_, second): Sample => {
    const rss = 140 + 15 * Math.min(1, second / 40) + second % 7 * 5 + leak * second / 60;
    return { second, rss, anonymous: rss - 40, files: 61, log: second === 300 ? log : 4.1 };
  });
  return { samples, filesBefore: 29, filesAfter: 29, ...parts };
}

const kindsOf = (run: Run) => judge(run).map(({ kind }) => kind);

test("memory that goes up and down is no finding, and 16 bytes in each of 9000 requests a second are", () => {
  assert.deepEqual(kindsOf(run(0)), []);
  assert.deepEqual(kindsOf(run(16 * 9000 * 60 / 1e6)), ["memory"]);
});

test("a file left open and a log that is longer than its bound are findings", () => {
  assert.deepEqual(kindsOf(run(0, { filesAfter: 30 })), ["files"]);
  assert.deepEqual(kindsOf(run(0, {}, 8.1)), ["log"]);
});
