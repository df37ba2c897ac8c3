/** The rate limit of a server: by caller, by address. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { withFreshServerHere } from "../support/server/in_process.ts";
import { limitedStatuses } from "./rate_limit.ts";

const times = (count: number, status: number): number[] => Array(count).fill(status);

test("--client-header tells clients behind a proxy apart", () => {
  const args = ["--key=a", "--rate-limit=5/1h", "--client-header=X-Real-IP", "--store=memory:"];
  return withFreshServerHere({ args }, async (server) => {
    assert.deepEqual(await limitedStatuses(server, 6, "wrong", "10.0.0.1"), [...times(5, 401), 429]);
    assert.deepEqual(await limitedStatuses(server, 1, "a", "10.0.0.2"), [200]);
  });
});
