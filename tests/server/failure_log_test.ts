/** The log of failures over time: what is told of a kind that comes again and again, stops, and comes back. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { sleep } from "../../lib/promises.ts";
import { createFailureLog } from "../../lib/server/telemetry/failure_log.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

const request = new Request("http://localhost/v1/pets?limit=5");

test("what fails a thousand times is told at once, then once a second with a count, and at once again after it had stopped", () =>
  withVirtualClock(async ({ pending }) => {
    const lines: string[] = [];
    const log = createFailureLog({ add: (line) => lines.push(line.slice(line.indexOf(" ") + 1)) }, false);
    const fail = (requestId: string, message: string) =>
      log.add({ error: new StoreUnavailableError(message), requestId, request });
    const told = (requestId: string, message: string, times = "") =>
      `${requestId} GET /v1/pets?limit=5 failed: ${message}${times}`;
    for (let round = 0; round < 2; round++) {
      lines.length = 0;
      for (let i = 0; i < 1_000; i++) fail(`id-${i}`, `PostgreSQL has not answered within ${4_000 + i} ms`);
      fail("many", "Too many queries wait");
      const atOnce = [
        told("id-0", "PostgreSQL has not answered within 4000 ms"),
        told("many", "Too many queries wait"),
      ];
      assert.deepEqual(lines, atOnce);
      await sleep(1_100);
      assert.deepEqual(lines, [
        ...atOnce,
        told("id-999", "PostgreSQL has not answered within 4999 ms", " (999 times)"),
      ]);
      await sleep(2_500);
      assert.equal(lines.length, 3);
      // A kind that has stopped is forgotten, and no timer runs.
      assert.equal(pending(), 0);
    }
  }));

test("what is not told yet when the server ends is told then", () => {
  const lines: string[] = [];
  const log = createFailureLog({ add: (line) => lines.push(line) }, true);
  for (const requestId of ["a", "b", "c"]) log.add({ error: new Error("broken"), requestId, request });
  log.close();
  const facts = lines.map((line) => JSON.parse(line)).map(({ requestId, times }) => [requestId, times]);
  assert.deepEqual(facts, [["a", undefined], ["c", 2]]);
});
