/** No planted mistake passes, and packages/conformance/README.md says how many there are. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readPage } from "../../../../tests/support/pages.ts";
import { rowsOf, scorePlanted } from "./planted.ts";

test("the cases refute the planted mistakes at both levels, as many as packages/conformance/README.md says", async () => {
  const specification = await scorePlanted("specification"), full = await scorePlanted("full");
  // Some frameworks read no more of a segment than what is before its parameters.
  assert.deepEqual(specification.passed, ["reads an id up to a semicolon"]);
  assert.deepEqual(full.passed, []);
  const [, section = ""] = /\n## What the cases refute\n([^]*)$/.exec(readPage("packages/conformance/README.md")) ?? [];
  const rows = Array.from(section.matchAll(/^\| (\w[^|]*)\|([^|]*)\|([^|]*)\|$/gm).drop(1), (cells) => cells.slice(1));
  assert.deepEqual(rows.map((cells) => cells.map((cell) => cell.trim())), rowsOf(specification, full));
});
