/** docs/embedding.md shows the files that the tests run. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const PAGE = readFileSync(new URL("../../docs/embedding.md", import.meta.url), "utf8");

test("docs/embedding.md shows the mounting files as they are", () => {
  const shown = [...PAGE.matchAll(/`(integration\/edge\/[\w./]+)`[^`]*\n\n?```(?:ts|js)\n([^]*?)```/g)];
  assert.equal(shown.length, 3);
  for (const [, path, text] of shown) {
    assert.equal(text, readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"), path);
  }
});
