/** The log of failures over time: what is told of a kind that comes again and again, stops, and comes back. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorInfo } from "../../mod.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { sleep } from "../../lib/promises.ts";
import { createFailureLog } from "../../lib/server/telemetry/failure_log.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

function fail(error: unknown, requestId: string, method = "GET"): ErrorInfo {
  return { error, requestId, request: new Request("http://localhost/v1/pets?limit=5", { method }) };
}

/** The end of each line: how often the failure has happened, if more than once. */
function timesIn(lines: readonly string[]): string[] {
  return lines.map((line) => / \((\d+ times)\)$/.exec(line)?.[1] ?? "once");
}

test("a kind of failure that stops is forgotten, and told at once when it comes back, and no timer runs between", () =>
  withVirtualClock(async ({ pending }) => {
    const lines: string[] = [];
    const log = createFailureLog({ add: (line) => lines.push(line) }, false);
    const add = () => log.add(fail(new Error("broken"), "a"));
    for (let round = 0; round < 2; round++) {
      lines.length = 0;
      add();
      assert.deepEqual(timesIn(lines), ["once"]);
      for (let i = 0; i < 3; i++) add();
      await sleep(1_100);
      assert.deepEqual(timesIn(lines), ["once", "3 times"]);
      for (let i = 0; i < 2; i++) add();
      await sleep(1_000);
      assert.deepEqual(timesIn(lines), ["once", "3 times", "2 times"]);
      await sleep(2_500);
      assert.equal(lines.length, 3);
      assert.equal(pending(), 0);
    }
    add();
    add();
    log.close();
    assert.deepEqual(timesIn(lines).slice(3), ["once", "once"]);
    assert.equal(pending(), 0);
  }));

const outage = (after: number) => new StoreUnavailableError(`PostgreSQL has not answered within ${after} ms`);

test("what fails a thousand times is told at once, and then once a second with a count", () =>
  withVirtualClock(async () => {
    const lines: string[] = [];
    const log = createFailureLog({ add: (line) => lines.push(line) }, false);
    for (let i = 0; i < 1_000; i++) log.add(fail(outage(4_000 + i % 9), `id-${i}`));
    log.add(fail(outage(5_000), "other", "POST"));
    log.add(fail(new StoreUnavailableError("Too many queries wait for PostgreSQL"), "many"));
    const told = () => lines.map((line) => line.slice(line.indexOf(" ") + 1));
    const atOnce = [
      "id-0 GET /v1/pets?limit=5 failed: PostgreSQL has not answered within 4000 ms",
      "other POST /v1/pets?limit=5 failed: PostgreSQL has not answered within 5000 ms",
      "many GET /v1/pets?limit=5 failed: Too many queries wait for PostgreSQL",
    ];
    assert.deepEqual(told(), atOnce);
    const count = "id-999 GET /v1/pets?limit=5 failed: PostgreSQL has not answered within 4000 ms (999 times)";
    await sleep(1_100);
    assert.deepEqual(told(), [...atOnce, count]);
    log.add(fail(outage(1), "id-1000"));
    log.close();
    assert.equal(lines.length, 5);
  }));

test("a thousand different failures in a second have a hundred lines, and the others one more with their count", () => {
  const lines: string[] = [];
  const log = createFailureLog({ add: (line) => lines.push(line) }, true);
  const name = (i: number) => String.fromCharCode(97 + i % 26, 97 + i / 26 % 26, 97 + i / 676);
  for (let i = 0; i < 1_000; i++) log.add(fail(new Error(name(i)), `id-${i}`));
  // A kind that has a line keeps its own count at the limit.
  for (let i = 0; i < 2; i++) log.add(fail(new Error(name(0)), "again"));
  log.close();
  const counts = lines.map((line) => JSON.parse(line).times);
  assert.deepEqual(counts, [...Array(101).fill(undefined), 2, 899]);
});
