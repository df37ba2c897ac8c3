/** The log of failures over time: what is told of a kind that comes again and again, stops, and comes back. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { sleep } from "../../lib/promises.ts";
import { createFailureLog } from "../../lib/server/telemetry/failure_log.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

const request = new Request("http://localhost/v1/pets?limit=5");

test("what fails a thousand times in a second is told at once, and then with a count, and so is what fails later", () =>
  withVirtualClock(async ({ pending }) => {
    const lines: string[] = [];
    const log = createFailureLog({ add: (line) => lines.push(line.slice(line.indexOf(" ") + 1)) }, false);
    const fail = (requestId: string, message: string) =>
      log.add({ error: new StoreUnavailableError(message), requestId, request });
    const atOnce = [
      "id-0 GET /v1/pets?limit=5 failed: PostgreSQL has not answered within 4000 ms",
      "many GET /v1/pets?limit=5 failed: Too many queries wait",
    ];
    const later = "id-999 GET /v1/pets?limit=5 failed: PostgreSQL has not answered within 4999 ms (999 times)";
    for (let round = 0; round < 2; round++) {
      lines.length = 0;
      for (let i = 0; i < 1_000; i++) fail(`id-${i}`, `PostgreSQL has not answered within ${4_000 + i} ms`);
      fail("many", "Too many queries wait");
      assert.deepEqual(lines, atOnce);
      await sleep(1_100);
      assert.deepEqual(lines, [...atOnce, later]);
      // No timer runs when nothing fails.
      assert.equal(pending(), 0);
    }
    // What is not told yet when the server ends is told then.
    for (const id of ["a", "b", "c"]) fail(id, "broken");
    log.close();
    assert.match(lines.at(-1)!, /^c .* broken \(2 times\)$/);
    assert.equal(pending(), 0);
  }));
