/** The table of operations: what the description, the router and the cache rely on. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DESCRIBED_OPERATIONS, OPERATIONS } from "../../lib/operations/table.ts";
import { checkOptions } from "../../lib/petstore/settings.ts";

test("every operation is described, and no other", () => {
  assert.deepEqual(DESCRIBED_OPERATIONS.map(([definition]) => definition), OPERATIONS);
  const names = DESCRIBED_OPERATIONS.map(([, describe]) => describe(checkOptions({ keys: ["k"] })).id);
  assert.equal(new Set(names).size, OPERATIONS.length);
});

test("a path has at most one parameter, at its end, and each method once", () => {
  const operations = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
  assert.equal(new Set(operations).size, operations.length);
  for (const { path } of OPERATIONS) assert.match(path, /^(\/[a-z]+)+(\/\{\w+\})?$/);
});
