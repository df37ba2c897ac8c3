/** docs/hosts.md shows the programs and differences that are tested. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readPage } from "../../support/pages.ts";
import { HOSTS } from "./hosts.ts";

const page = readPage("docs/hosts.md");

test("docs/hosts.md shows each program as it is in the file that is named before it", () => {
  for (const section of page.split("\n### ").slice(1)) {
    const [, program] = /^```ts\n([^]*?)^```$/m.exec(section) ?? [];
    const [, path = ""] = /`(tests\/\S+)`/.exec(section) ?? [];
    if (program !== undefined) assert.equal(program, readPage(path), path);
  }
});

test("docs/hosts.md names the tested differences of each host", () => {
  const text = page.replaceAll(/\s+/g, " ");
  for (const { differs = {} } of HOSTS) {
    for (const difference of Object.keys(differs)) assert.ok(text.includes(difference), difference);
  }
});
