/** docs/embedding.md, and the page of this folder, show the files that the tests run. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const ROOT = new URL("../../", import.meta.url);

/** A path in backquotes, at most a sentence, and what is said to be in the file. */
const SHOWN = /`(integration\/edge\/[^`]+)`[^`\n]*(?:`[^`\n]*`[^`\n]*)*\n\n?```(?:ts|js)\n([^]*?)```/g;

for (const [page, count] of [["docs/embedding.md", 3], ["integration/edge/README.md", 5]] as const) {
  test(`${page} shows the mounting files as they are`, () => {
    const shown = [...readFileSync(new URL(page, ROOT), "utf8").matchAll(SHOWN)];
    assert.equal(shown.length, count);
    for (const [, path = "", text] of shown) {
      // Brackets are part of these paths.
      assert.equal(text, readFileSync(new URL(encodeURI(path), ROOT), "utf8"), path);
    }
  });
}
