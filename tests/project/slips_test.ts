/** The slips of `deno task mutate slips` are still slips: each is one change of the code as it is. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { SLIPS } from "../../tools/mutation/slips/all.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

test("each slip changes a place that its file has once, and names tests that exist", () => {
  for (const { promise, file, before, after, first, integration } of SLIPS) {
    assert.equal(readFileSync(ROOT + file, "utf8").split(before).length, 2, `${file} must have once: ${before}`);
    assert.notEqual(before, after, promise);
    const tests = first.split(" ").map((name) => name.startsWith("published") ? "" : `tests/${name}_test.ts`);
    for (const path of [...tests, integration ?? ""]) assert.ok(existsSync(ROOT + path), `${promise}: ${path}`);
  }
  assert.equal(new Set(SLIPS.map(({ promise }) => promise)).size, SLIPS.length);
});
