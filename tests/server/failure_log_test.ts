/** The log of failures over time: what is told of a kind that comes again and again, stops, and comes back. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createFailureLog } from "../../lib/server/telemetry/failure_log.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The end of each line: how often the failure has happened, if more than once. */
function timesIn(lines: readonly string[]): string[] {
  return lines.map((line) => / \((\d+ times)\)$/.exec(line)?.[1] ?? "once");
}

test("a kind of failure that stops is forgotten, and told at once when it comes back, and no timer runs between", () =>
  withVirtualClock(async ({ pending }) => {
    const lines: string[] = [];
    const log = createFailureLog({ add: (line) => lines.push(line) }, false);
    const fail = () =>
      log.add({ error: new Error("broken"), request: new Request("http://h/v1/pets"), requestId: "a" });
    for (let round = 0; round < 2; round++) {
      lines.length = 0;
      fail();
      assert.deepEqual(timesIn(lines), ["once"]);
      for (let i = 0; i < 3; i++) fail();
      await sleep(1_100);
      assert.deepEqual(timesIn(lines), ["once", "3 times"]);
      for (let i = 0; i < 2; i++) fail();
      await sleep(1_000);
      assert.deepEqual(timesIn(lines), ["once", "3 times", "2 times"]);
      await sleep(2_500);
      assert.equal(lines.length, 3);
      assert.equal(pending(), 0);
    }
    fail();
    fail();
    log.close();
    assert.deepEqual(timesIn(lines).slice(3), ["once", "once"]);
    assert.equal(pending(), 0);
  }));
