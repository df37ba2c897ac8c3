/** packages/conformance/README.md has the scores of a run. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readPage } from "../../../../tests/support/pages.ts";
import { missing, scoreAll } from "./scores.ts";

const absent = missing();
const without = absent.map(([name, reason]) => `, but not ${name}, which ${reason}`).join("");

test(`packages/conformance/README.md has the scores of the servers of others, as a run gives them${without}`, async () => {
  const [, section = ""] = readPage("packages/conformance/README.md").split("\n## Scores of others\n");
  const rows = section.matchAll(/^\| (\S.*?) +\| (\d+ of \d+) +\| (\d+ of \d+|–) +\|$/gm);
  const shown = Array.from(rows, (columns) => columns.slice(1).map((cell) => cell.trim()));
  const started = shown.filter(([name]) => absent.every(([other]) => other !== name));
  assert.deepEqual((await scoreAll()).map(({ row }) => row), started);
});
