/** docs/conformance.md has the scores of a run. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readPage } from "../../tests/support/pages.ts";
import { scoreAll } from "./scores.ts";

test("docs/conformance.md has the scores of the servers of others, as a run gives them", async () => {
  const rows = readPage("docs/conformance.md").matchAll(/^\| (\S.*?) +\| (\d+ of \d+) +\| (\d+ of \d+) +\|$/gm);
  const shown = Array.from(rows, (columns) => columns.slice(1).map((cell) => cell.trim()));
  assert.deepEqual((await scoreAll()).map(({ row }) => row), shown);
});
