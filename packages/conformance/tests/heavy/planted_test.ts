/** No planted mistake passes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { scorePlanted } from "./planted.ts";

for (const level of ["specification", "full"] as const) {
  test(`the cases refute the planted mistakes at the level ${level}`, async () => {
    const { planted, passed } = await scorePlanted(level);
    // Some frameworks read no more of a segment than what is before its parameters.
    assert.deepEqual(passed, level === "full" ? [] : ["get: reads an id up to a semicolon"]);
    assert.ok(planted >= 150);
  });
}
