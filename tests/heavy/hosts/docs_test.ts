/** docs/hosts.md shows the programs that are tested. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readPage } from "../../support/pages.ts";

test("docs/hosts.md shows each program as it is in the file that is named before it", () => {
  for (const section of readPage("docs/hosts.md").split("\n### ").slice(1)) {
    const [, program] = /^```ts\n([^]*?)^```$/m.exec(section) ?? [];
    const [, path = ""] = /`(tests\/\S+)`/.exec(section) ?? [];
    if (program !== undefined) assert.equal(program, readPage(path), path);
  }
});
