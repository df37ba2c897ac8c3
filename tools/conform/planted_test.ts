/** No planted mistake passes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { scorePlanted } from "./planted.ts";

for (const level of ["specification", "full"] as const) {
  test(`the cases refute every planted mistake at the level ${level}`, async () => {
    const { planted, passed } = await scorePlanted(level);
    assert.deepEqual(passed, []);
    assert.ok(planted >= 150);
  });
}
